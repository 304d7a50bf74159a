#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: judges.py ENGINES DIFFERENCES PROCESSES WRAPS

What `lifetrace engines` says of a run, as JSON, and its differences, against how many processes the load has
made, and how often it saw their numbers begin anew at the least. The first engine has all; what another one lacks
is in the list, with a cause.
"""
import collections
import json
import sys

WHATS = {"missed process": "missed_processes", "missed thread": "missed_threads", "missed exec": "missed_execs",
         "missed exit": "missed_exits", "orphan": "orphans", "wrong parent": "wrong_parents",
         "wrong exit code": "wrong_exit_codes", "wrong usage": "wrong_usages", "missed allocation": "missed_allocations",
         "missed free": "missed_frees", "wrong object": "wrong_objects", "wrong end": "wrong_ends"}


def rows(path):
    """An object a line."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(engines_path, differences_path, processes, wraps):
    every, *engines = [row for row in rows(engines_path) if row["reason"] is None]
    differences = rows(differences_path)
    faults = []
    if every["engine"] != "all" or every["processes"] != processes:
        faults.append(f"{processes} processes were made, {every['processes']} were seen")
    for row in engines:
        name = row["engine"]
        listed = collections.Counter(d["difference"] for d in differences if d["engine"] == name)
        for what, column in WHATS.items():
            # A task may lack more than one program.
            if (row[column] or 0) < listed[what] or bool(row[column]) != bool(listed[what]):
                faults.append(f"{name}: {row[column]} {column}, {listed[what]} in the list")
        if row["processes"] + row["missed_processes"] != every["processes"]:
            faults.append(f"{name}: {row['processes']} and {row['missed_processes']} missed are not all")
        if row["cycles"]:
            faults.append(f"{name}: {row['cycles']} cycles")
        causes = collections.Counter(d["cause"] for d in differences if d["engine"] == name)
        if causes["not known"]:
            faults.append(f"{name}: {causes['not known']} differences without a cause")
        if causes["lost event"] + causes["skipped program"] and not row["lost"]:
            faults.append(f"{name}: has lost events, and counts none")
        print(f"judges: {name}: {row['processes']} processes, {row['execs']} execs, {row['exits']} exits, "
              f"{row['lost']} lost; " + ", ".join(f"{column} {row[column]}" for column in WHATS.values() if row[column]) +
              "; " + ", ".join(f"{n} {cause}" for cause, n in sorted(causes.items())))
    first = engines[0]
    wrong = {column: first[column] for column in WHATS.values() if first[column]}
    if wrong or first["lost"]:
        faults.append(f"the first one, {first['engine']}, lacks something: {wrong}, lost {first['lost']}")
    print(f"judges: {len(engines)} engines, {processes} processes, {wraps} wraps or more, {len(differences)} differences")
    print(*[f"FAULT {fault}" for fault in faults], sep="\n")
    print(f"faults {len(faults)}\ndifferences {len(differences)}")
    for what in WHATS:
        print(f"{what.replace(' ', '_')} {sum(d['difference'] == what for d in differences)}")
    print(f"outside {sum(d['cause'] == 'outside of its recording' for d in differences)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
