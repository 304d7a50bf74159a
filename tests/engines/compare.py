#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: compare.py ALL FEW ENGINES DIFFERENCES

What `lifetrace engines` says of two traces of one run, by their tasks: ALL (of ptrace) has each, FEW lacks
some. Numbers of tasks are used once in this run. Exit status: 0: it is so.
"""
import json
import sys


def rows(path):
    """An object a line."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(all_path, few_path, engines_path, differences_path):
    every = {row["tid"]: row for row in rows(all_path)}
    few = {row["tid"]: row for row in rows(few_path) if not row["placeholder"]}
    engines = {row["engine"]: row for row in rows(engines_path)}
    differences = [row for row in rows(differences_path) if row["engine"] == "proc-connector"]
    missing = {tid for tid in every if tid not in few}
    exits = {tid for tid in every if tid in few and few[tid]["end_certainty"] != "exact"}
    found = {kind: {row["tid"] for row in differences if row["difference"] == kind}
             for kind in ("missed process", "missed exit")}
    lossy = engines["proc-connector"]
    wrong = []
    if engines["ptrace"]["processes"] != len(every) or engines["all"]["processes"] != len(every):
        wrong.append(f"there are {len(every)} processes: {engines}")
    if found["missed process"] != missing or lossy["missed_processes"] != len(missing):
        wrong.append(f"missed: {sorted(found['missed process'] ^ missing)[:5]}, {lossy['missed_processes']} of {len(missing)}")
    if found["missed exit"] != exits or lossy["missed_exits"] != len(exits):
        wrong.append(f"exits: {sorted(found['missed exit'] ^ exits)[:5]}, {lossy['missed_exits']} of {len(exits)}")
    if lossy["processes"] + lossy["missed_processes"] != len(every):
        wrong.append("what it has and what it lacks are not all")
    other = [row for row in differences if row["cause"] != "lost event"]
    if other:
        wrong.append(f"other causes than losses: {other[:3]}")
    if not missing or not exits:
        wrong.append("nothing is missing")
    print("\n".join(wrong) or f"ok {len(every)} processes, {len(missing)} missing, {len(exits)} without an exit")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
