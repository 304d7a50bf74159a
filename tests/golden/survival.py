#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: survival.py LIFETIMES.csv REPORT.json

Checks the percentiles of a report by call site against the definition of the estimate of Kaplan
and Meier, in exact fractions, from the lifetimes of the same trace. Exact lifetimes have ended,
open ones are censored at their age; all others count in neither. Where few of those that should
still live were followed up to an age, the estimate ends. Of a sample each object stands for others.
"""
import csv
import json
import sys
from collections import defaultdict
from fractions import Fraction

PERCENTS = (50, 90, 99)
# A report sorts lifetimes into parts of 1/32 of a power of two, and prints the middle of one.
PART = Fraction(1, 32)
# So many of those that live by the estimate must have been followed.
FOLLOWED = Fraction(1, 20)


def begin_of(age):
    """Of the part of a power of two in which an age lies."""
    shift = max(age.bit_length() - 6, 0)
    return age >> shift << shift


def survival(ended, alive):
    """
    The ages at which some ended, with the part of all that lives longer, and what was followed of
    those that live: up to the age, and up to the begin of its part of a power of two.
    """
    part = Fraction(1)
    parts, total = {}, len(ended) + len(alive)
    for age in sorted(set(ended)):
        at_risk = sum(t >= age for t in ended) + sum(t >= age for t in alive)
        begin = begin_of(age)
        if begin not in parts:
            parts[begin] = (sum(t >= begin for t in ended) + sum(t >= begin for t in alive),
                            part * total)
        before, lived = parts[begin]
        followed = min(at_risk / (part * total), Fraction(before) / lived) if part else 1
        part *= 1 - Fraction(ended.count(age), at_risk)
        yield age, part, followed, Fraction(before) / lived


def percentile(curve, percent):
    """
    The first age at which so many have ended, and what of those that lived was followed up to it;
    None: that was not seen.
    """
    least, wide = Fraction(1), Fraction(1)
    for age, part, followed, widely in curve:
        least, wide = min(least, followed), min(wide, widely)
        if part <= 1 - Fraction(percent, 100):
            return age, least, wide
    return None, least, wide


def read_lifetimes(path):
    ended, alive = defaultdict(list), defaultdict(list)
    with open(path, newline="") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("exit status")):
            if row["kind"] in ("page", "page_split", "vmalloc", "percpu", "dma"):
                continue
            if row["certainty"] == "exact":
                ended[row["birth_site"]].append(int(row["lifetime_ns"]))
            elif row["certainty"] == "open":
                alive[row["birth_site"]].append(int(row["lifetime_ns"]))
    return ended, alive


def faults_of(row, ended, alive, one_in):
    if (row["exact"], row["censored"]) != (one_in * len(ended), one_in * len(alive)):
        yield "%d exact, %d censored, each for %d" % (len(ended), len(alive), one_in)
    if row["longest_ns"] != max(ended + alive, default=None):
        yield "longest %s" % max(ended + alive, default=None)
    curve = list(survival(ended, alive))
    for percent in PERCENTS:
        (want, least, wide), found = percentile(curve, percent), row["p%d_ns" % percent]
        if found is None and want is not None and least < FOLLOWED:
            continue
        if (want is None) != (found is None) or want is not None and (
                abs(want - found) > want * PART or wide < FOLLOWED):
            yield "p%d %s, of which %.3f were followed" % (percent, want, least)


def main():
    ended, alive = read_lifetimes(sys.argv[1])
    with open(sys.argv[2]) as f:
        report = json.loads(f.read().rpartition("exit status")[0])
    rows, one_in = report["rows"], report.get("sample", {"one_in": 1})["one_in"]
    sites, beyond, bad = defaultdict(list), 0, 0
    for row in rows:
        sites[row["site"] or ""].append(row)
    for site, found in sites.items():
        if len(found) > 1:      # two functions of one name
            continue
        beyond += found[0]["p50_ns"] is None and found[0]["censored"] > 0
        for fault in faults_of(found[0], ended[site], alive[site], one_in):
            print("%s: expected %s, found %s" % (site, fault, found[0]))
            bad += 1
    print("%d call sites, %d whose median was not reached, %d faults" % (len(sites), beyond, bad))
    # A trace without such a site would not show that the estimate is used. Samples of one
    # address in 64 have few sites.
    sys.exit(bad > 0 or len(sites) < 4 or not beyond)


if __name__ == "__main__":
    main()
