#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: totals.py TABLES LIVE EXPORTED

Whether the tables of `record --totals` (the directory LIVE) have the rows that an export of the same
recording has (EXPORTED), both for ClickHouse; TABLES is the file that says what their columns are. Only the
cgroup of a task that was born before the recording may be missing: while recording, it is not known until
the first snapshot has come to the task. Prints what differs.
"""
import collections
import glob
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    COLUMNS = {m[1]: re.findall(r"^\t(\w+) ", m[2], re.M)
               for m in re.finditer(r"EXISTS (\w+) \((.*?)\n\)", file.read(), re.S)}
# Of the file, which only the export has read.
OF_FILE = ("trace_bytes", "complete", "end_unix_ns")


def rows(folder, table):
    for path in sorted(glob.glob(f"{folder}/{table}/*/*/*.tsv")):
        with open(path, encoding="utf-8", newline="\n") as text:
            for line in text:
                yield dict(zip(COLUMNS[table], line.rstrip("\n").split("\t")))


def sums(folder, with_cgroup):
    """The numbers of the rows of each key; a histogram is as many numbers."""
    first = COLUMNS["site_minute"].index("allocations")
    keys = [name for name in COLUMNS["site_minute"][:first] if with_cgroup or name != "cgroup"]
    values = COLUMNS["site_minute"][first:COLUMNS["site_minute"].index("lost")]
    found = collections.defaultdict(collections.Counter)
    for row in rows(folder, "site_minute"):
        add = found[tuple(row[name] for name in keys)]
        for name in values:
            if row[name].startswith("["):
                add.update({(name, n): int(v) for n, v in enumerate(row[name][1:-1].split(",")) if v})
            else:
                add[name] += int(row[name])
    return {key: +value for key, value in found.items()}


def in_cgroups(folder):
    return sum(int(row["allocations"]) for row in rows(folder, "site_minute") if row["cgroup"])


def main():
    live, exported = sys.argv[2:]
    problems = []
    first, second = (sums(folder, False) for folder in (live, exported))
    wrong = [key for key in sorted(set(first) | set(second)) if first.get(key) != second.get(key)]
    problems += [f"{key}: {first.get(key)}, in the export {second.get(key)}" for key in wrong[:3]]
    (row,), (other,) = (list(rows(folder, "trace")) for folder in (live, exported))
    problems += [f"trace: {name} is {row[name]}, in the export {other[name]}" for name in row
                 if name not in OF_FILE and row[name] != other[name]]
    # A file has the machine's clocks once more, at its end.
    if abs(int(row["end_unix_ns"]) - int(other["end_unix_ns"])) > 1000000:
        problems.append(f"the ends are {row['end_unix_ns']} and {other['end_unix_ns']}")
    known, all_known = in_cgroups(live), in_cgroups(exported)
    if not 0 < known <= all_known:
        problems.append(f"{known} allocations have a cgroup, in the export {all_known}")
    births = sum(value["allocations"] for value in first.values())
    if births < 100:
        problems.append(f"only {births} allocations")
    print(f"{births} allocations in {len(first)} rows, {known} of {all_known} with a cgroup; {len(wrong)} rows differ")
    print(*problems, sep="\n")
    return 1 if problems else 0


sys.exit(main())
