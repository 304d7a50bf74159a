#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callpaths.py LIFETRACE DIR

Compares the paths of descriptors that `lifetrace syscalls -y` prints of DIR/calls.lt with those that
strace -y printed of the same programs (DIR/paths.*), which has them from /proc. Where there is a path in
the trace it must be that one, by another link at most; and a descriptor must have one if it was opened
by a path in the trace, by its process or by one that it comes from.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import glob
import json
import os
import re
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts, usage
from syscalltext import arguments, threads

counts = Counter()
FD = re.compile(r"^(-?\d+|AT_FDCWD)(?:<(.*)>)?$")


def check_path(where, ours, theirs, opened, faults):
    """@opened: paths of files that were opened before, as strace has them."""
    mine, other = FD.match(ours), FD.match(theirs)
    if not mine or not other:
        return
    if mine[2] is None:
        # Of what was there before, and what has no path, the trace does not know.
        known = other[1] != "AT_FDCWD" and other[2] in opened
        counts["unknown"] += other[2] is not None
        faults.check(not known, "a path is missing", f"{where}: {ours}; strace {theirs}")
        return
    counts["paths"] += 1
    if mine[2] == other[2]:
        return
    same = other[2] is not None and os.path.basename(mine[2]) == os.path.basename(other[2])
    counts["by_link"] += same
    faults.check(same and mine[2][0] == "/", "another path", f"{where}: {ours}; strace {theirs}")


def check_program(found, path, faults):
    opened = set()
    for tid, ours, theirs in threads(found, path, faults):
        for call, (name, args, result) in zip(ours, theirs):
            if not faults.check(call["name"] == name, "name", f"{tid}: {call['name']}, strace {name}"):
                break
            for a, b in zip(arguments(call["args"]), args):
                check_path(f"{tid} {name}", a, b, opened, faults)
            match = FD.match(result.split(" ")[0])
            if match and match[2] and name.startswith(("open", "creat")):
                opened.add(match[2])


def main():
    program, directory = usage(__doc__, 2)
    faults, found = Faults(), defaultdict(list)
    for line in lines(program, "syscalls", "--absolute", "--self", "-y", "--json", os.path.join(directory, "calls.lt")):
        call = json.loads(line)
        call["args"] = call["args"].replace("\\\\", "\\")
        found[call["tid"]].append(call)
    for path in sorted(glob.glob(os.path.join(directory, "paths.*"))):
        counts["programs"] += 1
        check_program(found, path, faults)
    faults.check(counts["programs"] and counts["paths"] >= 30, "too few", counts)
    print_counts(counts)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    sys.exit(main())
