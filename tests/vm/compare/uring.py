#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: uring.py LIFETRACE DIR

Compares the requests of io_uring in DIR/calls.lt with those that the program printed that made them
(DIR/program: lines "submitted USER_DATA OPCODE", "completed USER_DATA RESULT FLAGS"), and with
ftrace's events of the same run (DIR/ftrace).

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import os
import re
import sys
from collections import Counter

from common import Faults, dump, lines, print_counts

counts = Counter()
FTRACE = re.compile(r"^\s*(\S+)-\d+ .*: io_uring_(submit_sqe|submit_req|complete|queue_async_work): (.*)$")


def read_program(path):
    """By user_data: the opcode, the result."""
    submitted, completed = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *words = line.split()
            if kind == "submitted":
                submitted[int(words[0], 0)] = int(words[1])
            elif kind == "completed":
                completed[int(words[0], 0)] = int(words[1])
    return submitted, completed


def read_ftrace(path):
    """How often each event was seen of each user_data, which queue_async_work has on newer kernels only."""
    found = Counter()
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = FTRACE.match(line)
            if not match:
                continue
            kind = "submit" if match[2].startswith("submit") else match[2]
            data = re.search(r"(?:user_)?data 0x([0-9a-f]+)", match[3])
            found[kind, int(data[1], 16) if data and kind != "queue_async_work" else None] += 1
    return found


def check_requests(rows, submitted, completed, theirs, faults):
    for user_data, opcode in submitted.items():
        mine = [row for row in rows if int(row["arg0"], 16) == user_data]
        if not faults.check(len(mine) == 1, "requests with this user_data", f"{user_data:#x}: {len(mine)}"):
            continue
        row = mine[0]
        counts["requests"] += 1
        # A request that is refused as malformed is not submitted; on 5.10 also one of a bad descriptor.
        refused = completed.get(user_data) in (-9, -22) and not theirs["submit", user_data]
        faults.check(refused == (row["begin_ns"] is None), "submission", f"{row}; refused: {refused}")
        counts["refused"] += refused
        faults.check(row["nr"] == (-1 if refused else opcode), "opcode", f"{row}; {opcode}")
        faults.check(row["ended"] == "returned" and row["result"] == completed.get(user_data), "result",
                     f"{row}; {completed.get(user_data)}")
        faults.check(row["comm"] == "calls" and (row["begin_ns"] or 0) <= row["end_ns"], "task or time", row)
        counts["by_worker"] += "by a worker" in (row["remarks"] or "")
        # Each one has a user_data of its own, so all are certain.
        faults.check("perhaps" not in (row["remarks"] or ""), "an uncertain request", row)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, directory = sys.argv[1:]
    faults, trace = Faults(), os.path.join(directory, "calls.lt")
    submitted, completed = read_program(os.path.join(directory, "program"))
    rows = [row for row in map(json.loads, lines(program, "syscalls", "--absolute", "--self", "--json", trace)) if row["abi"] == "io_uring"]
    theirs = read_ftrace(os.path.join(directory, "ftrace"))
    check_requests(rows, submitted, completed, theirs, faults)
    faults.check(len(rows) == len(submitted), "requests", f"{len(rows)}; the program made {len(submitted)}")
    faults.check(counts["refused"] <= 2, "requests without a submission", counts["refused"])
    faults.check(len(submitted) > 200, "the program made too few", len(submitted))
    ours = Counter()
    for event in dump(program, trace):
        if event["event"].startswith("uring_"):
            kind = {"uring_queue": "queue_async_work"}.get(event["event"], event["event"][len("uring_"):])
            ours[kind, int(event["user_data"], 16) if "user_data" in event else None] += 1
    for key in ours | theirs:
        counts["events"] += ours[key]
        faults.check(ours[key] == theirs[key], "events", f"{key}: {ours[key]}; ftrace {theirs[key]}")
    faults.check(counts["by_worker"] >= 2, "too few were handed to a worker", counts["by_worker"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main())
