#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: beside.py LIFETRACE ENGINE IMPORT [WHOLE]

Two traces of one run, both with the monotonic clock: of an engine, which may have kept what a command allocated alone, and of
another tool's file. Each object or block that a task of the command allocated is in both, with the same size,
call site and end; where IMPORT lacks a birth or an end, that is by an event of which it says that it is not watched.
WHOLE, the engine's trace of which ENGINE is a damaged copy, or ENGINE itself, decides which tasks, and from when to when.
An end that the engine itself calls uncertain may be a later one than the right one, of 1 % of the objects at the most. A kernel was
seen that runs no program in interrupts of one task, without counting that, while tracefs records there: an end that the engine
calls bounded, and that is by a task of which it has nothing at all, is such a one.
Prints of the lifetime in the middle "birth NS CPU", as the engine has it, and at the end "ok N lifetimes, N of them without their end,
N births that are not watched, N ends of which the engine is not sure, N in tasks where it sees nothing".
"""
import bisect
import collections
import csv
import json
import re
import subprocess
import sys

NEAR = 20000000         # ns between what two tracers say of one event, on a machine that has much to do
COLUMNS = "kind,address,birth_ns,death_ns,ended_by,certainty,bytes_req,birth_site,birth_tid,birth_cpu,death_tid"
AREAS = {"percpu", "vmalloc", "dma"}
NO_END = {"alive", "reborn"}
UNSURE_PERCENT = 1
wrong = collections.Counter()
unsure = []
unseen = []


def complain(what, text):
    wrong[what] += 1
    if wrong[what] <= 3:
        print(f"{what}: {text}")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", errors="replace").stdout


def lifetimes(tool, trace):
    """By kind of memory and address: rows with a birth, by time."""
    rows = collections.defaultdict(list)
    for row in csv.DictReader(run(tool, "lifetimes", "--csv", "--absolute", f"--columns={COLUMNS}", trace).splitlines()):
        if row["birth_ns"]:
            row["birth_ns"], row["death_ns"] = int(row["birth_ns"]), int(row["death_ns"] or 0)
            row["space"] = "pages" if row["kind"].startswith("page") else row["kind"] if row["kind"] in AREAS else "slab"
            row["site"] = row["birth_site"].split("+")[0]
            rows[row["space"], row["address"]].append(row)
    for life in rows.values():
        life.sort(key=lambda row: row["birth_ns"])
    return rows


def death(row):
    return row["death_ns"] if row["ended_by"] != "alive" else float("inf")


def same_life(rows, mine):
    """The life that overlaps, of those at one address, in order. Between what two tracers say of one event an interrupt may come,
    but both have said it before the next event of that address."""
    at = bisect.bisect(rows, mine["birth_ns"], key=lambda row: row["birth_ns"])
    for row in rows[max(at - 1, 0):at + 1]:
        if row["birth_ns"] < death(mine) and mine["birth_ns"] < death(row):
            return row
    return None


def unwatched(tool, trace):
    """Names of events, which are the names of ends, too."""
    return set(re.findall(r"^ *(\w+) +\w+ +NOT watched: ", run(tool, "info", trace), re.M))


def compare(mine, other, following, missing, end, seen_tids):
    """What the engine has of an object of the import. @following: the next birth there. @seen_tids: the tasks of which it has
    events. Return: whether the end is missing there."""
    for key in ("bytes_req", "site"):
        if mine[key] and other[key] and mine[key] != other[key]:
            complain(f"another {key}", f"{mine} {other}")
    if mine["ended_by"] not in NO_END:
        if other["ended_by"] in NO_END or other["death_ns"] > following:
            # An engine that does not watch all ways to free says itself that the end may be a later one, or none that it saw.
            if other["certainty"] == "uncertain" and (other["ended_by"] in NO_END or other["death_ns"] > mine["death_ns"]):
                unsure.append(f"{mine} {other}")
            elif other["certainty"] == "bounded" and other["death_ns"] > mine["death_ns"] and mine["death_tid"] not in seen_tids:
                unseen.append(f"{mine} {other}")
            else:
                complain("another end", f"{mine} {other}")
        return False
    if other["ended_by"] in NO_END or other["death_ns"] > end:
        return False
    # The address was given again before: the engine, which keeps no other births, does not know better.
    if mine["ended_by"] == "reborn" and mine["death_ns"] < other["death_ns"] and other["certainty"] != "exact":
        return False
    if other["ended_by"] not in missing:
        complain("an end is missing that is watched", f"{mine} {other}")
    return True


def names_of(tool, trace, births):
    """By which events these births are there: (address, time)."""
    names = collections.Counter()
    for line in run(tool, "dump", "--json", "--absolute", trace).splitlines() if births else []:
        row = json.loads(line)
        names[row["event"]] += (row["ptr"] if "ptr" in row else hex(row.get("pfn", 0)), row["time"]) in births
    return +names


def main(tool, engine_path, import_path, whole_path=None):
    engine, imported, missing = lifetimes(tool, engine_path), lifetimes(tool, import_path), unwatched(tool, import_path)
    # Of memory that the engine has not watched it has nothing to say.
    spaces = {row["space"] for rows in engine.values() for row in rows}
    imported = {address: rows for address, rows in imported.items() if rows[0]["space"] in spaces}
    whole = lifetimes(tool, whole_path) if whole_path else engine
    births = sorted((row["birth_ns"], row["birth_tid"]) for rows in whole.values() for row in rows)
    tids = {tid for _, tid in births}
    seen_tids = set(run(tool, "lifetimes", "--csv", "--columns=birth_tid,death_tid", engine_path).replace(",", "\n").split())
    mine = [row["birth_ns"] for rows in imported.values() for row in rows]
    begin, end = max(births[0][0], min(mine)) + NEAR, min(births[-1][0], max(mine)) - NEAR
    deaths = [row["death_ns"] for rows in imported.values() for row in rows]
    open_ends = 0
    found, seen = [], set()
    for address, rows in imported.items():
        for mine, next_one in zip(rows, [*rows[1:], None]):
            if mine["birth_tid"] not in tids or not begin < mine["birth_ns"] < end:
                continue
            other = same_life(engine.get(address, []), mine)
            if not other:
                complain("a birth is not in the engine's trace", mine)
                continue
            found.append((other["birth_ns"], other["birth_cpu"]))
            seen.add((address, other["birth_ns"]))
            open_ends += compare(mine, other, next_one["birth_ns"] if next_one else float("inf"), missing, max(deaths) - NEAR, seen_tids)
    more = {(address, row["birth_ns"]) for address, rows in engine.items() for row in rows
            if begin + NEAR < row["birth_ns"] < end - NEAR} - seen
    more = {(address, birth) for (_, address), birth in more}
    names = names_of(tool, engine_path, more)
    if sum(names.values()) != len(more):
        complain("births without an event", f"{len(more)} {names}")
    for name in names:
        if name not in missing:
            complain("births are missing that are watched", f"{name}: {names[name]}")
    n = len(found)
    if len(unsure) * 100 > n * UNSURE_PERCENT:
        complain("ends of which the engine is not sure", f"{len(unsure)}: {unsure[0]}")
    if n:
        print("birth", *sorted(found)[n // 2])
    else:
        complain("nothing", "there is no lifetime in both")
    print(f"{'differs' if wrong else 'ok'} {n} lifetimes, {open_ends} of them without their end, "
          f"{len(more)} births that are not watched, {len(unsure)} ends of which the engine is not sure, "
          f"{len(unseen)} in tasks where it sees nothing", dict(wrong) or "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
