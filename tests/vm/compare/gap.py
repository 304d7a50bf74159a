#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: gap.py LIFETRACE SET DIR TABLE [simple]

Takes one part out of the middle of a recording, SET, and compares what the others say with
lt_truth's own TABLE of objects. DIR/parts gets all parts but that one: a part in whose time many
objects of the table were born that were alive behind it. DIR/tail gets the parts behind it.

STATE of the part behind the missing one says what was alive then. So of DIR/parts each object of
the table that lived through the missing part's time, or was born in it and alive behind it, is
there once, with its birth; and what is exact, or alive at the end, is so in the table. One that
died in that time is there once, neither exact nor alive; but exact, as the table has it, if it is
of a channel that had no packet in that time, or was given to kfree_rcu then and released later,
which STATE has. Of all that the machine had: what was alive behind the gap is, in DIR/parts,
what DIR/tail says, which begins with STATE; and no lifetime that ended in the gap is certain,
but for the requests to kfree_rcu that STATE has. In DIR/tail each object of the table that was
alive at its begin is there with its birth; what is exact there has the death of the table.

Prints "key value" lines; exit status 1 when anything differs, or when no lifetime lived through
the gap, or ended in it, or none is exact. simple: lt_truth was loaded with simple=1, on a kernel
which has tracepoints only.
"""
import glob
import os
import shutil
import sys
from collections import Counter, defaultdict

import lifetimes
import ltfile
import table
from common import Faults, print_counts
from flight import TOLERANCE_NS, span, within

LEAST_PARTS = 4
AREA = 3
AREA_KINDS = ("percpu", "vmalloc", "dma")


def alive_at(o, time):
    """Certainly: not while it was being made or freed."""
    return o.birth.hi < time - TOLERANCE_NS and not (o.dead and o.death.lo <= time + TOLERANCE_NS)


def choose(parts, objects):
    """The number of the part to be taken out."""
    scores = []
    for i, path in enumerate(parts[1:-1], 1):
        cut, until, _ = span(path)
        born = sum(o.birth.lo > cut and alive_at(o, until) for o in objects)
        scores.append((born and any(alive_at(o, cut) for o in objects), born, i))
    return max(scores)[-1]


def packets_of(path):
    return {(p.channel, p.cpu, p.seq) for p in
            (ltfile.Packet(b.payload) for b in ltfile.read(path)[1] if b.type == ltfile.PACKET)}


def silent(parts, missing):
    """The kinds of objects of whose channel no packet is missing."""
    lost = packets_of(parts[missing])
    for path in parts[missing - 1], parts[missing + 1]:
        lost -= packets_of(path)
    return () if any(channel == AREA for channel, _, _ in lost) else AREA_KINDS


def copy(parts, path):
    """Links, for the files may be large."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    for part in parts:
        os.link(part, os.path.join(path, os.path.basename(part)))
    return path


class Rows:
    """The lifetimes of a trace, to be found by their births."""

    def __init__(self, rows, objects):
        self.by_ptr, self.used = defaultdict(list), set()
        self.n = 0
        self.objects = defaultdict(list)
        for o in objects:
            self.objects[o.is_page, o.ptr].append(o)
        for row in rows:
            self.n += 1
            if row.birth:
                self.by_ptr[row.is_page, row.ptr].append(row)

    def is_of_another(self, row, o):
        """The next object at that address may be born sooner than the tolerance is long."""
        def fits(x):
            return x.birth.lo <= row.birth.time <= x.birth.hi

        return not fits(o) and any(fits(x) for x in self.objects[o.is_page, o.ptr] if x is not o)

    def find(self, o):
        found = [r for r in self.by_ptr.get((o.is_page, o.ptr), ())
                 if id(r) not in self.used and within(r.birth.time, o.birth) and
                 not self.is_of_another(r, o)]
        if len(found) > 1:
            found = [r for r in found if o.birth.lo <= r.birth.time <= o.birth.hi] or found
        if len(found) > 1:
            # A birth that took long: the address had others in the meantime, and its own event may
            # be missing.
            found = [r for r in found if r.birth.tid == o.birth.tid and
                     r.birth.cpu in o.birth.cpus]
        if len(found) > 1 and o.dead:
            found = [r for r in found if r.death and within(r.death.time, o.death)] or found
        self.used.update(id(r) for r in found)
        return found

    def rest(self):
        for rows in self.by_ptr.values():
            yield from (r for r in rows if id(r) not in self.used)


def check_claim(where, row, o, counts, faults):
    """What is said to be certain must be so."""
    counts["%s_%s" % (where, row.certainty)] += 1
    if row.certainty == "exact":
        if not o.dead or not row.death or not within(row.death.time, o.death):
            faults.add("exact", "%s: %s; %s" % (where, row, o))
    elif row.certainty == "open" and o.died_in_trace:
        faults.add("open", "%s: %s; %s" % (where, row, o))


def check_all(rows, objects, begin, end, known, counts, faults):
    """The parts without the one, by the table."""
    for o in objects:
        found = rows.find(o)
        before, behind = alive_at(o, begin), alive_at(o, end)
        died = before and o.dead and o.death.hi < end - TOLERANCE_NS
        if len(found) != 1:
            if before or (behind and o.birth.hi < end - TOLERANCE_NS):
                faults.add("number", "%d lifetimes for %s, gap %d-%d" % (len(found), o, begin, end))
            continue
        row = found[0]
        check_claim("parts", row, o, counts, faults)
        if died:
            sure = row.certainty == "exact" and row.kind not in known
            counts["truth_%s_the_gap" % ("requested_in" if sure else "died_in")] += 1
            # STATE has a call of kfree_rcu in the gap whose memory was released behind it.
            if row.ending == "alive" or (sure and row.ending != "rcu_free"):
                faults.add("died in the gap", "%s; %s" % (row, o))
        elif behind and o.birth.lo < end:
            where = "survived" if before else "born_in" if o.birth.lo > begin else "at"
            counts["truth_%s_the_gap_%s" % (where, row.certainty)] += 1
    for row in rows.rest():
        if row.certainty == "exact" and "[lt_truth]" in row.birth.site:
            faults.add("surplus", str(row))


def key(row):
    return row.is_page, row.order, row.ptr, row.birth.time, row.birth.cpu


def said(row):
    return (row.kind, row.certainty, row.ending, row.size, row.alloc, row.cache, row.gfp, row.node,
            row.birth.start, row.death and row.death.start, row.bound, str(row))


def lives(rows):
    for found in rows.by_ptr.values():
        yield from found


def check_state(rows, tail, begin, end, known, counts, faults):
    """All lifetimes of the machine over the gap, not only those of lt_truth."""
    alive = {key(row): row for row in lives(tail) if row.birth.time < end}
    seen = set()
    for row in lives(rows):
        if row.birth.time >= end or (row.bound and row.bound <= begin):
            continue
        if key(row) not in alive or key(row) in seen:
            counts["ended_in_the_gap"] += row.birth.time < begin
            if row.ending == "alive" or not row.bound or row.bound > end:
                faults.add("alive behind the gap", str(row))
            elif row.certainty in ("exact", "open") and row.kind not in known and \
                    row.ending != "rcu_free":
                faults.add("certain over the gap", str(row))
            continue
        seen.add(key(row))
        counts["over_the_gap" if row.birth.time < begin else "born_in_the_gap"] += 1
        counts["over_the_gap_sure"] += row.birth.time < begin and \
            row.certainty in ("exact", "open")
        if said(row) != said(alive[key(row)]):
            faults.add("not as the tail", "%s; the tail: %s" % (row, alive[key(row)]))
    for k in alive.keys() - seen:
        faults.add("only in the tail", str(alive[k]))


def check_tail(rows, objects, begin, end, counts, faults):
    """What was alive behind the gap, and what became of it."""
    for o in objects:
        if not alive_at(o, end):
            continue
        found = rows.find(o)
        if len(found) != 1:
            faults.add("tail", "%d lifetimes for %s, cut %d" % (len(found), o, end))
            continue
        row = found[0]
        born = "before" if o.birth.hi < begin else "in" if o.birth.lo > begin else "at"
        counts["tail_born_%s_the_gap" % born] += 1
        check_claim("tail", row, o, counts, faults)
        if (row.birth.tid, row.birth.start) != (o.birth.tid, o.birth.start) or \
                row.birth.cpu not in o.birth.cpus or \
                (o.kind in (table.KMALLOC, table.PAGES) and row.size != o.size):
            faults.add("tail birth", "%s; %s" % (row, o))


def main(program, whole, directory, path, simple=None):
    counts, faults = Counter(), Faults()
    objects = [o for o in table.rows(path)
               if o.state in (table.LIVE, table.DEAD) and o.birth.phase == table.DURING]
    parts = sorted(glob.glob(os.path.join(whole, "*.lt")))
    if not faults.check(len(parts) >= LEAST_PARTS, "parts", "only %d" % len(parts)):
        return 1
    missing = choose(parts, objects)
    begin, end, _ = span(parts[missing])
    kept = copy(parts[:missing] + parts[missing + 1:], os.path.join(directory, "parts"))
    tail = copy(parts[missing + 1:], os.path.join(directory, "tail"))

    known = silent(parts, missing)
    rows = Rows(lifetimes.read(program, kept, bool(simple)), objects)
    check_all(rows, objects, begin, end, known, counts, faults)
    counts["lifetimes"] = rows.n
    behind = Rows(lifetimes.read(program, tail, bool(simple)), objects)
    check_state(rows, behind, begin, end, known, counts, faults)
    check_tail(behind, [o for o in objects if o.birth.lo < end], begin, end, counts, faults)
    for name in ("over_the_gap_sure", "ended_in_the_gap", "parts_exact"):
        faults.check(counts[name], "nothing shows", name)
    print("missing", missing)
    print("gap_ms", (end - begin) // 1000000)
    print_counts(counts)
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or sys.argv[5:] not in ([], ["simple"]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
