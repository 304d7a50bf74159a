#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: live.py TOP.json REPORT.json

Compares the last object of `lifetrace top --json` with `lifetrace report --json` by the same rows:
each figure that both have must be equal, of all and of each row. A report is made of the whole
file, read three times; top reads it once, and adds up as it goes.
"""
import json
import sys

CERTAINTIES = ("exact", "open", "before", "bounded", "uncertain")
FIGURES = ("allocations", "alive", "alive_bytes", "maybe_alive", "maybe_alive_bytes", "exact", "p50_ns",
           "p99_ns")
NAMES = ("site", "caller", "stack", "cache", "context", "comm", "tid", "start_ns", "tasks", "cgroup", "path")


def name_of(row, keys):
    return tuple(str(row[key]) for key in keys)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        top = json.loads(file.readlines()[-1])
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    wrong = []
    for key in ("by", *CERTAINTIES):
        if top[key] != report[key]:
            wrong.append(f"{key}: top {top[key]}, report {report[key]}")
    if not top["final"]:
        wrong.append("the last object is not the final one")
    # By site a report also has the cache of the first object.
    keys = [key for key in NAMES if top["rows"] and key in top["rows"][0] and key in report["rows"][0]]
    if top["rows"] and not keys:
        wrong.append("rows have no name in common")
    rows = {}
    for row in report["rows"]:
        if name_of(row, keys) in rows:
            keys = None     # two caches of one name, for example: only the sums can be compared
            break
        rows[name_of(row, keys)] = row
    for row in top["rows"] if keys else ():
        other = rows.pop(name_of(row, keys), None)
        if other is None:
            if any(row[figure] for figure in FIGURES):
                wrong.append(f"{name_of(row, keys)}: not in the report")
            continue
        wrong += [f"{name_of(row, keys)}: {figure}: top {row[figure]}, report {other[figure]}"
                  for figure in FIGURES if row[figure] != other[figure]]
    for name, row in rows.items() if keys else ():
        if row["allocations"] or row["alive"]:
            wrong.append(f"{name}: not in top")
    for figure in FIGURES[:5]:
        sums = [sum(row[figure] for row in rows) for rows in (top["rows"], report["rows"])]
        if sums[0] != sums[1] or (sums[0] != top[figure] and top["by"] != "stack"):
            wrong.append(f"sum of {figure}: top {sums[0]} and {top[figure]}, report {sums[1]}")
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))


main()
