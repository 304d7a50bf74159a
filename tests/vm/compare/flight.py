#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: flight.py [--simple] LIFETRACE TABLE FILE...
       flight.py --part FILE KEY

Compares snapshots of a flight recorder with lt_truth's own TABLE of objects, all of which
were born while it recorded. FILE holds what happened from its cut on, and what was alive
then. So each object of the table that was alive at some time in between is there, with
its birth, also if that was long before; each lifetime that is exact has the death of the
table, and what is alive at the end was not freed before. No lifetime of lt_truth is there
that the table lacks. And each FILE, in the order in which they were made, begins with what
the one before leads to.

Where the kernel traces the free of a cache object after it (before 5.16, late_free of the file), a
file cannot know whether a free that follows its cut closely is that of an object which was gone
before: of LATE_NS what it says is uncertain. Nor can it know to which of two objects at one address a
free belongs that has the very time at which the second one was born on another CPU. Of these objects
the birth is compared.

Prints "key value" lines; exit status 1 when anything differs. --simple: lt_truth was loaded with
simple=1, on a kernel which has tracepoints only. --part prints a value of the texts PART of a
file, if it has it.
"""
import sys
from collections import Counter, defaultdict
from functools import lru_cache

import lifetimes
import ltfile
import table
from common import Faults, print_counts

TOLERANCE_NS = 1000
LATE_NS = 1000000000
PART = 15
PAGE_GFP = ("__GFP_WRITE", "__GFP_RETRY_MAYFAIL", "__GFP_NOWARN")


@lru_cache(maxsize=2)
def span(path):
    """The times between which the file holds everything, and its values of INFO and PART."""
    _, blocks = ltfile.read(path)
    values = {}
    for b in blocks:
        if b.type in (ltfile.INFO, PART):
            values.update(line.split("=", 1) for line in b.payload.decode().splitlines()
                          if "=" in line)
    return int(values.get("cut", 0)), int(values["until"]), values


def is_by_truth(row, masks):
    if row.is_page:
        gfp = sum(masks.get(name, 0) for name in PAGE_GFP)
        return bool(gfp) and row.birth is not None and row.gfp & gfp == gfp
    return row.birth is not None and "[lt_truth]" in row.birth.site


def within(time, moment):
    return moment.lo - TOLERANCE_NS <= time <= moment.hi + TOLERANCE_NS


def alive_at(rows, moment):
    """
    What was alive then, as a set of births. Of a block of pages each page: it may be freed in
    pieces later, of which the file that ends before that knows nothing.
    """
    found = set()
    for r in rows:
        if not r.birth or r.birth.time >= moment or (r.bound and r.bound < moment):
            continue
        for i in range(1 << r.order if r.is_page else 1):
            found.add((r.is_page, r.ptr + i, r.birth.time, r.birth.cpu, r.birth.site, r.birth.tid,
                       r.cache))
    return found


def meets_another(row, rows):
    """Whether its end and the birth of the next object at its address have one time, or the reverse."""
    return any(r is not row and r.birth and
               ((row.death and row.death.time == r.birth.time) or
                (r.death and r.death.time == row.birth.time)) for r in rows)


def chain(before, path, rows, counts, faults):
    """
    What this file says was alive at its cut is what the file before leads to then, where their
    windows overlap: all objects of the machine, not only those of lt_truth.
    """
    cut = span(path)[0]
    name, rows_before = before
    first, last, _ = span(name)
    if not first < cut <= last:
        counts["not_overlapping"] += 1
        return
    expected, found = alive_at(rows_before, cut), alive_at(rows, cut)
    counts["tables"] += 1
    counts["table_objects"] += len(found)
    if expected != found:
        faults.add("table", "%s: %d of %d objects differ from %s; one of them: %s" %
                   (path, len(expected ^ found), len(found), name, min(expected ^ found)))


def compare(path, rows, objects, counts, faults):
    cut, until, values = span(path)
    late = values.get("late_free") == "1"
    masks = lifetimes.gfp_masks(path)
    by_ptr = defaultdict(list)
    for row in rows:
        counts["rows"] += 1
        by_ptr[row.is_page, row.ptr].append(row)
    used = set()
    for o in objects:
        dead = o.dead
        rows = [r for r in by_ptr.get((o.is_page, o.ptr), ()) if id(r) not in used and
                r.birth and within(r.birth.time, o.birth)]
        if len(rows) > 1:
            rows = [r for r in rows if o.birth.lo <= r.birth.time <= o.birth.hi] or rows
        if len(rows) > 1:
            # A birth that took long: the address had another object in the meantime.
            lives_on = not dead or o.death.hi > until - TOLERANCE_NS
            rows = [r for r in rows if (dead and within(r.death.time, o.death) if r.death else
                                        lives_on)] or rows
        alive_within = o.birth.hi < until - TOLERANCE_NS and \
            (not dead or o.death.lo > cut + TOLERANCE_NS)
        if len(rows) > 1 or (alive_within and not rows):
            faults.add("twice" if rows else "missing", "%s: %d lifetimes for %s, cut %d until %d" %
                       (path, len(rows), o, cut, until))
            continue
        if not rows:
            continue
        row = rows[0]
        used.add(id(row))
        counts["objects"] += 1
        counts["born_before_the_cut"] += row.birth.time < cut
        counts["certainty_" + row.certainty] += 1
        if row.certainty == "exact":
            counts["exact_born_before_the_cut"] += row.birth.time < cut
            if not dead or not row.death or not within(row.death.time, o.death):
                faults.add("death", "%s: %s; %s" % (path, row, o))
        elif row.certainty == "open":
            if dead and o.death.hi < until - TOLERANCE_NS:
                faults.add("open", "%s: %s; %s" % (path, row, o))
        elif late and row.certainty == "uncertain" and o.cache != table.NO_CACHE and \
                o.birth.lo <= cut + LATE_NS:
            counts["undecided_late_frees"] += 1
        elif late and row.certainty == "uncertain" and \
                meets_another(row, by_ptr[o.is_page, o.ptr]):
            counts["undecided_at_one_time"] += 1
        else:
            faults.add("certainty", "%s: %s; %s" % (path, row, o))
        if (row.birth.tid, row.birth.start) != (o.birth.tid, o.birth.start):
            faults.add("task", "%s: %s; %s" % (path, row, o))
        if row.birth.cpu not in o.birth.cpus:
            faults.add("cpu", "%s: %s; %s" % (path, row, o))
        if o.kind in (table.KMALLOC, table.PAGES) and row.size != o.size:
            faults.add("size", "%s: %s; %s" % (path, row, o))
    for rows in by_ptr.values():
        for row in rows:
            if id(row) not in used and is_by_truth(row, masks):
                faults.add("surplus", "%s: %s" % (path, row))
            if id(row) not in used and row.is_page is False and not row.birth and row.death and \
                    "[lt_truth]" in row.death.site:
                faults.add("unknown", "%s: %s" % (path, row))


class Within:
    """Of all objects those that a window may have; the next window begins no earlier."""

    def __init__(self, objects):
        self.objects = sorted(objects, key=lambda o: o.birth.lo)
        self.at, self.cut, self.found = 0, 0, []

    def take(self, cut, until):
        if cut < self.cut:
            self.at, self.found = 0, []
        self.cut, first = cut, self.at
        while self.at < len(self.objects) and \
                self.objects[self.at].birth.lo <= until + TOLERANCE_NS:
            self.at += 1
        self.found = [o for o in self.found + self.objects[first:self.at]
                      if not (o.dead and o.death.hi < cut - TOLERANCE_NS)]
        return self.found


def main(simple, program, path, files):
    counts, faults = Counter(), Faults()
    objects = Within(o for o in table.rows(path) if o.state in (table.LIVE, table.DEAD))
    before = None
    for name in files:
        rows = list(lifetimes.read(program, name, simple))
        compare(name, rows, objects.take(*span(name)[:2]), counts, faults)
        if before:
            chain(before, name, rows, counts, faults)
        before = name, rows
    counts["files"] = len(files)
    print_counts(counts)
    faults.print()
    return 1 if faults.total or not counts["exact_born_before_the_cut"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    if sys.argv[1] == "--part":
        print(span(sys.argv[2])[2].get(sys.argv[3], ""))
        sys.exit(0)
    arguments = [a for a in sys.argv[1:] if a != "--simple"]
    sys.exit(main("--simple" in sys.argv, arguments[0], arguments[1], arguments[2:]))
