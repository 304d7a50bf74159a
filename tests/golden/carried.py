#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: carried.py TOOL WHOLE PART

Whether the last part of a recording, alone, has every lifetime that was not over at its cut as the
whole recording has it: what was alive then with all that was known of it. Only the words that say
why one is uncertain may differ. A unit of the trace's clock is a nanosecond.
"""
import csv
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

PART = 15


def lifetimes(tool, path):
    done = subprocess.run([tool, "lifetimes", "--csv", "--absolute", path], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")
    return list(csv.DictReader(done.stdout.splitlines()))


def key(row):
    return tuple(value for name, value in row.items() if name != "why")


def cut_of(path):
    text = next(b.payload for b in ltfile.read(path)[1] if b.type == PART)
    return int(re.search(rb"^cut=(\d+)$", text, re.M)[1])


def main(tool, whole, part):
    cut, bad = cut_of(part), 0
    rows = lifetimes(tool, whole)
    wanted = Counter(key(row) for row in rows
                     if row["ended_by"] == "alive" or int(row["death_ns"]) >= cut)
    found = Counter(key(row) for row in lifetimes(tool, part))
    for what, rows_of in ("missing", wanted - found), ("not in the whole", found - wanted):
        for row in rows_of.elements():
            bad += 1
            print("%s: %s" % (what, ",".join(row)))
    carried = [row for row in rows if row["birth_ns"] and int(row["birth_ns"]) < cut and
               key(row) in wanted]
    kinds = {row["kind"] for row in carried}
    print("lifetimes", sum(wanted.values()), "carried", len(carried), "of", *sorted(kinds))
    return bad or len(carried) < 20


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(bool(main(*sys.argv[1:])))
