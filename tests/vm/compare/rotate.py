#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: rotate.py LIFETRACE DIR CUTS

Compares the parts of a recording, in DIR, with all of them together. Each part is read alone: what
ends in it has the same lifetime as in the whole; nothing in it is exact that is not exact there; and
what is alive at its end is what the next part says that was alive at its begin. Where the kernel traces
the free of a cache object after it (see flight.py), the last part alone may call uncertain what is
close behind its begin.

Prints "key value" lines; exit status 1 when anything differs, or when there are fewer than CUTS cuts.
"""
import csv
import glob
import json
import os
import sys
from collections import Counter

import ltfile
from common import Faults, lines
from flight import LATE_NS

# What a part cannot know: a release after its end.
UNKNOWN = ("rcu_limbo_ns",)


def read(program, path):
    text = (line.decode("utf-8", "replace") for line in lines(program, "lifetimes", "--absolute", "--csv", path))
    return csv.DictReader(text)


def key(row):
    """A number for each lifetime: of a long recording there are millions."""
    return hash(tuple((k, v) for k, v in row.items() if not k.startswith(UNKNOWN)))


def births(row):
    """An object, as it is carried at a cut. Of a block of pages, each page: it may be freed in pieces later."""
    pages = row["kind"].startswith("page")
    what = tuple(sorted((k, v) for k, v in row.items()
                        if k.startswith("birth") or not pages and
                        k.startswith(("kind", "address", "cache", "bytes", "page"))))
    if not pages:
        return [what]
    first = int(row["address"], 16)
    return [(first + i, what) for i in range(1 << int(row["page_order"]))]


def number(text):
    return int(float(text)) if text not in ("", None) else 0


def cut_of(program, path):
    """When the part begins, ns."""
    return json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))["begin_ns"]


def is_late(path):
    return any(b"late_free=1" in b.payload.splitlines() for b in ltfile.read(path)[1]
               if b.type == ltfile.INFO)


def main(program, directory, least):
    faults = Faults()
    parts = sorted(glob.glob(os.path.join(directory, "*.lt")))
    whole, exact = Counter(), set()
    for row in read(program, directory):
        whole[key(row)] += 1
        if row["certainty"] == "exact":
            exact.add(key(row))
    before, carried, undecided = None, 0, 0
    for path in parts:
        rows = list(read(program, path))
        begin = cut_of(program, path) if before is not None else 0
        older = Counter(birth for row in rows if row["birth_ns"] and number(row["birth_ns"]) < begin
                        for birth in births(row))
        carried += sum(older.values())
        if before is not None and older != before:
            for what in list((older - before).items())[:3] + list((before - older).items())[:3]:
                faults.add("what is carried at a cut", (os.path.basename(path), what))
        before = Counter(birth for row in rows if row["ended_by"] == "alive" for birth in births(row))
        for row in rows:
            if row["certainty"] == "exact" and key(row) not in exact:
                faults.add("exact in a part alone", (os.path.basename(path), row))
        if path == parts[-1]:
            late = is_late(path)
            for row in rows:
                if whole[key(row)]:
                    continue
                if late and row["kind"] == "cache" and row["certainty"] == "uncertain" and \
                        number(row["birth_ns"] or row["death_ns"]) <= begin + LATE_NS:
                    undecided += 1
                else:
                    faults.add("of the last part", row)
    faults.check(len(parts) > least, "too few cuts", len(parts) - 1)
    faults.check(carried > 0, "nothing was carried")
    print("cuts", len(parts) - 1)
    print("carried", carried)
    print("lifetimes", sum(whole.values()))
    print("undecided_late_frees", undecided)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
