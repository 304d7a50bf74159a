#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: clockmarks.py LIFETRACE FILE MARKS READINGS [CHANGES]

Compares the times of markers in a trace with the readings of CLOCK_MONOTONIC around each, as
tools/clockmarks printed them; and straight lines through the CLOCK blocks of the file with
READINGS, lines that the module's file "clock" had at other times. Of these lines so many as CHANGES
may be further away: the rate of the clock has changed within them. Prints "key value" lines; exit
status 1 when a time is more than a microsecond outside of the two readings, or that far from a
line, or a marker is missing.
"""
import bisect
import json
import subprocess
import sys

import ltfile

TOLERANCE_NS = 1000


def times_of(program, path):
    """The time of each marker that clockmarks wrote, by its number."""
    found = {}
    with subprocess.Popen([program, "dump", "--absolute", "--json", path], stdout=subprocess.PIPE) as p:
        for line in p.stdout:
            if b'"clockmark ' not in line:
                continue
            event = json.loads(line)
            found[int(event["text"].split()[1])] = event["time"]
    return found


def numbers(line):
    """The counter, CLOCK_MONOTONIC, and the ns that reading them took."""
    words = dict(word.split("=") for word in line.split())
    return int(words["clock"]), int(words["monotonic"]), int(words["took"])


def scale_errors(path, readings, changes):
    """How far each reading between two CLOCK blocks is from the line through them, ns."""
    points = sorted({numbers(b.payload.decode())[:2] for b in ltfile.Trace(path).blocks
                     if b.type == ltfile.CLOCK})
    errors, took = {}, []
    with open(readings, encoding="ascii") as f:
        for line in f:
            clock, mono, ns = numbers(line)
            i = bisect.bisect_right(points, (clock, mono))
            if 0 < i < len(points) and points[i - 1][0] < clock < points[i][0]:
                (c0, m0), (c1, m1) = points[i - 1], points[i]
                error = abs(m0 + (m1 - m0) * (clock - c0) // (c1 - c0) - mono)
                errors.setdefault(i, []).append(error)
                took.append(ns)
    lines = sorted(errors.values(), key=max)
    return sorted(sum(lines[:len(lines) - changes], [])), sorted(took)


def main(program, path, marks, readings, changes=0):
    errors, took = scale_errors(path, readings, int(changes))
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
    print("readings", len(errors))
    print("reading_took_ns", took[-1] if took else 0)
    print("scale_error_median_ns", errors[len(errors) // 2] if errors else 0)
    print("scale_error_ns", errors[-1] if errors else 0)
    return int(missing > 0 or len(brackets) < 50 or max(before, after) > TOLERANCE_NS or
               len(errors) < 20 or errors[-1] > TOLERANCE_NS)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
