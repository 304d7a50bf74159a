#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: series.py TOOL TRACE...

`plot --self --csv` against the lifetimes of `lifetimes --json`, of traces in which all lifetimes are
exact, open or before: what is alive at each point, and the most since the point before; and against
the peak and the end of `report`. Prints what differs; the last line is "N passed, N failed"."""
import collections
import csv
import io
import json
import subprocess
import sys

TOOL, *TRACES = sys.argv[1:]
KINDS = ("kmalloc", "cache", "bulk")
POINTS = 50


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=True).stdout


def steps(trace):
    """By cache, and of all as "": (time, bytes), negative at the end of a lifetime."""
    found = collections.defaultdict(list)
    for line in run("lifetimes", "--json", trace).splitlines():
        life = json.loads(line)
        if life["certainty"] == "before" or life["kind"] not in KINDS:
            continue
        size = life["bytes_alloc"] or life["bytes_req"]
        for name in ("", life["cache"] or "(none)"):
            found[name].append((life["birth_ns"], size))
            if life["certainty"] == "exact":
                found[name].append((life["birth_ns"] + life["lifetime_ns"], -size))
    return {name: sorted(rows) for name, rows in found.items()}


def main():
    passed = failed = 0
    for trace in TRACES:
        wanted = steps(trace)
        rows = collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(run("plot", "--self", "--csv", f"--points={POINTS}", trace))):
            rows[row["cache"]].append(row)
        report = json.loads(run("report", "--self", "--json", trace))
        checks = [("the peak", max(int(r["max_bytes"]) for r in rows[""]), report["peak_bytes"]),
                  ("the end", int(rows[""][-1]["alive"]), report["open"]),
                  ("the caches", sorted(rows), sorted(wanted))]
        for name, points in rows.items():
            todo, alive, count = wanted.get(name, []), 0, 0
            at, most = 0, 0
            for point in points:
                most = alive
                while at < len(todo) and todo[at][0] <= int(point["time_ns"]):
                    alive += todo[at][1]
                    count += 1 if todo[at][1] > 0 else -1
                    most = max(most, alive)
                    at += 1
                checks.append((f"{name} at {point['time_ns']}",
                               tuple(int(point[key]) for key in ("alive", "alive_bytes", "max_bytes")),
                               (count, alive, most)))
            checks.append((f"the points of {name}", len(points), POINTS))
        for what, is_, should in checks:
            passed += is_ == should
            failed += is_ != should
            if is_ != should and failed < 10:
                print(f"FAILED {trace}: {what}: {is_} instead of {should}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
