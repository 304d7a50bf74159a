#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: differences.py TOOL TRACE TRACE

`diff --self --csv` of two traces, and of two instants of the first one, against the lifetimes that
`lifetimes --json` prints, added up here. Prints what differs; the last line is "N passed, N failed"."""
import collections
import csv
import io
import json
import re
import subprocess
import sys

KINDS = ("kmalloc", "cache", "bulk")
TOOL, *TRACES = sys.argv[1:]


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=True).stdout


def lives(trace):
    """Slab objects whose birth was seen: key without offset, key with it, bytes, birth, end."""
    for line in run("lifetimes", "--json", trace).splitlines():
        life = json.loads(line)
        if life["certainty"] == "before" or life["kind"] not in KINDS:
            continue
        site = life["birth_site"] or ""
        yield ((life["cache"] or "", re.sub(r"\+0x[0-9a-f]+( \[.*\])?$", "", site)), (life["cache"] or "", site),
               life["bytes_alloc"] or life["bytes_req"], life["birth_ns"], life["birth_ns"] + life["lifetime_ns"],
               life["certainty"])


def compare(name, text, wanted):
    """Rows of diff against {key: [old and new of allocations, bytes, alive, alive bytes]}."""
    found, failed = {}, 0
    for row in csv.DictReader(io.StringIO(text)):
        found[row["cache"], row["site"]] = [
            int(row[f"{side}_{metric}"]) for metric in ("allocations", "bytes", "alive", "alive_bytes")
            for side in ("old", "new")]
    for key in wanted.keys() | found.keys():
        if found.get(key, [0] * 8) != list(wanted.get(key, [0] * 8)):
            failed += 1
            if failed < 5:
                print(f"FAILED {name}: {key}: {found.get(key)} instead of {wanted.get(key)}")
    return len(wanted) - failed, failed + (not wanted)


def main():
    wanted = collections.defaultdict(lambda: [0] * 8)
    for side, trace in enumerate(TRACES):
        for key, _, size, _, _, certainty in lives(trace):
            row = wanted[key]
            alive = certainty == "open"
            for i, value in enumerate((1, size, alive, alive * size)):
                row[2 * i + side] += value
    passed, failed = compare("traces", run("diff", "--self", "--csv", *TRACES), wanted)

    info = json.loads(run("info", "--json", TRACES[0]))
    births = sorted(birth for _, _, _, birth, _, _ in lives(TRACES[0]))
    instants = [(births[len(births) * part // 4] - info["begin_ns"]) for part in (1, 3)]
    wanted = collections.defaultdict(lambda: [0] * 8)
    for _, key, size, birth, end, certainty in lives(TRACES[0]):
        row = wanted[key]
        for side, instant in enumerate(instants):
            instant += info["begin_ns"]
            alive = birth <= instant and (end > instant or certainty == "open")
            for i, value in enumerate((birth < instant, size * (birth < instant), alive, alive * size)):
                row[2 * i + side] += value
    wanted = {key: row for key, row in wanted.items() if any(row)}
    options = [f"--{name}={instant // 10**9}.{instant % 10**9:09}" for name, instant in zip(("from", "to"), instants)]
    more = compare("instants", run("diff", "--self", "--csv", *options, TRACES[0]), wanted)
    print(f"{passed + more[0]} passed, {failed + more[1]} failed")
    return failed + more[1] > 0


if __name__ == "__main__":
    sys.exit(main())
