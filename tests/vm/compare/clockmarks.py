#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: clockmarks.py LIFETRACE FILE MARKS

Compares the times of markers in a trace with the readings of CLOCK_MONOTONIC around each, as
tools/clockmarks printed them. Prints "key value" lines; exit status 1 when a time is more than
a microsecond outside of the two readings, or a marker is missing.
"""
import json
import subprocess
import sys

TOLERANCE_NS = 1000


def times_of(program, path):
    """The time of each marker that clockmarks wrote, by its number."""
    found = {}
    with subprocess.Popen([program, "dump", "--json", path], stdout=subprocess.PIPE) as p:
        for line in p.stdout:
            if b'"clockmark ' not in line:
                continue
            event = json.loads(line)
            found[int(event["text"].split()[1])] = event["time"]
    return found


def main(program, path, marks):
    times = times_of(program, path)
    before = after = 0
    brackets, missing, first, last = [], 0, None, 0
    with open(marks, encoding="ascii") as f:
        for line in f:
            number, lo, hi, _ = map(int, line.split())
            if number not in times:
                missing += 1
                continue
            before = max(before, lo - times[number])
            after = max(after, times[number] - hi)
            brackets.append(hi - lo)
            first, last = first or lo, hi
    brackets.sort()
    print("markers", len(brackets))
    print("missing", missing)
    print("seconds", (last - (first or 0)) // 10 ** 9)
    print("bracket_median_ns", brackets[len(brackets) // 2] if brackets else 0)
    print("outside_ns", max(before, after))
    return int(missing > 0 or len(brackets) < 50 or max(before, after) > TOLERANCE_NS)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
