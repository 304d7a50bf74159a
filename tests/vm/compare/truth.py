#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: truth.py LIFETRACE FILE DIR MINIMUM [simple]

Compares the lifetimes of a trace without loss with lt_truth's own table: each object is
there exactly once, with everything that the table has of it; and no further lifetime
was born or ended in lt_truth, or has the flags of its pages.

DIR holds objects, caches and counts of lt_truth, and slab, the list of
/sys/kernel/slab, for the names that merged caches share.

Prints "key value" lines; exit status 1 when anything differs, or when the table lacks
one of the kinds of objects that the test needs. simple: lt_truth was loaded with simple=1, on a
kernel with one CPU which has tracepoints only.
"""
import bisect
import os
import re
import sys
from collections import Counter, defaultdict

import lifetimes
import ltfile
import table
from common import Faults, dump, print_counts

# The clock may step back by some ns when the kernel adjusts it.
TOLERANCE_NS = 1000
CONTEXTS = ("task", "softirq", "hardirq")
KINDS = {table.KMALLOC: "kmalloc", table.CACHE: "cache", table.BULK: "bulk", table.PAGES: "page"}
ENDINGS = {table.KFREE: "kfree", table.CACHE_FREE: "kmem_cache_free",
           table.BULK_FREE: "bulk_free", table.RCU: "rcu_free",
           table.RCU_HEADLESS: "rcu_free", table.FREE_PAGES: "page_free"}
# Before 6.1 a large kmalloc whose size the compiler does not know is traced
# from within the allocator itself.
INNER_SITES = ("__kmalloc", "__kmalloc_node", "kmalloc_order")


class Checker:
    def __init__(self, directory):
        self.counts = Counter()
        self.faults = Faults()
        self.caches = table.read_caches(os.path.join(directory, "caches"))
        self.aliases = self.read_aliases(os.path.join(directory, "slab"))
        self.comms = defaultdict(set)
        self.late_free = self.slots_are_larger = False

    @staticmethod
    def read_aliases(path):
        """name: all names of the cache that it was merged into"""
        groups, target_of = defaultdict(set), {}
        with open(path) as f:
            for name, target in re.findall(r"(\S+) -> (\S+)$", f.read(), re.M):
                groups[target].add(name)
                target_of[name] = target
        return {name: groups[target] for name, target in target_of.items()}

    def expect(self, what, found, expected, row, obj):
        if found != expected:
            self.faults.add(what, "found %s, expected %s: %s; %s" % (found, expected, row, obj))

    def learn_names(self, objects):
        """Tasks may change their names: those that were theirs at some time."""
        for o in objects:
            for m in (o.birth, o.death) if o.dead else (o.birth,):
                self.comms[m.tid, m.start].add(m.comm)

    def in_window(self, time, moment):
        if moment.lo <= time <= moment.hi:
            return True
        if moment.lo - TOLERANCE_NS <= time <= moment.hi + TOLERANCE_NS:
            self.counts["times_within_tolerance_only"] += 1
            return True
        return False

    def check_moment(self, what, got, want, row, obj):
        if not self.in_window(got.time, want):
            self.faults.add(what + " time", "%d is not in %d..%d: %s; %s" %
                       (got.time, want.lo, want.hi, row, obj))
        self.expect(what + " tid", got.tid, want.tid, row, obj)
        self.expect(what + " tgid", got.tgid, want.tgid, row, obj)
        self.expect(what + " start", got.start, want.start, row, obj)
        self.expect(what + " context", got.context, CONTEXTS[want.context], row, obj)
        if got.cpu not in want.cpus:
            self.faults.add(what + " cpu", "%s is not in %s: %s; %s" % (got.cpu, want.cpus, row, obj))
        names = self.comms[want.tid, want.start]
        if len(names) == 1 and want.comm == "kthreadd" and want.tid != 2:
            # It was just born, and still has the name of its creator.
            self.counts["newborn_kernel_threads"] += 1
        elif len(names) == 1:
            self.expect(what + " comm", got.comm, want.comm, row, obj)
        else:
            self.counts["names_of_renamed_tasks"] += 1
            if got.comm not in names:
                self.faults.add(what + " comm", "%s is not in %s: %s" % (got.comm, names, row))
        if not obj.is_page and "[lt_truth]" not in got.site:
            if obj.alloc > 8192 and any(s in got.site for s in INNER_SITES):
                self.counts["sites_within_the_allocator"] += 1
            else:
                self.faults.add(what + " site", "%s: %s; %s" % (got.site, row, obj))

    def check_cache(self, row, obj):
        size, _, name = self.caches[obj.cache]
        self.expect("object size", row.size, size, row, obj)
        if row.alloc and row.alloc < size:
            self.faults.add("slot size", "%d: %s; %s" % (row.alloc, row, obj))
        if name == row.cache:
            self.counts["cache_names_equal"] += 1
        elif row.cache in self.aliases.get(name, ()):
            self.counts["cache_names_merged"] += 1
        else:
            self.faults.add("cache", "found %s, expected %s or %s: %s" %
                       (row.cache, name, self.aliases.get(name), row))

    def check_birth(self, row, obj):
        self.check_moment("birth", row.birth, obj.birth, row, obj)
        self.expect("kind", row.kind, KINDS[obj.kind], row, obj)
        self.expect("gfp", row.gfp, obj.gfp, row, obj)
        if obj.kind in (table.CACHE, table.BULK):
            self.check_cache(row, obj)
            return
        self.expect("size", row.size, obj.size, row, obj)
        # The table has what ksize() said, which is without the room of the kernel's checks.
        if not self.slots_are_larger or row.alloc < obj.alloc:
            self.expect("allocated", row.alloc, obj.alloc, row, obj)
        if row.cache.startswith(("kmalloc-", "dma-kmalloc-")):
            size = obj.alloc if obj.alloc < 1024 else "%dk" % (obj.alloc // 1024)
            self.expect("cache's size", row.cache.split("-")[-1], str(size), row, obj)
            self.counts["kmalloc_caches_checked"] += 1
        if obj.is_page:
            self.expect("order", row.order, obj.order, row, obj)
        else:
            self.expect("node", row.node, obj.node, row, obj)

    def check_row(self, row, obj):
        self.counts["certainty_" + row.certainty] += 1
        if self.late_free and row.certainty == "uncertain" and row.birth and \
                obj.cache != table.NO_CACHE:
            # The event of a free of a cache object comes after the free. When two of
            # them follow two births, the trace does not show which is which.
            self.counts["undecided_late_frees"] += 1
            self.check_birth(row, obj)
            return
        if obj.birth.phase == table.BEFORE:
            self.expect("certainty", row.certainty, "before", row, obj)
        else:
            expected = "exact" if obj.died_in_trace else "open"
            self.expect("certainty", row.certainty, expected, row, obj)
            self.check_birth(row, obj)
        if obj.died_in_trace:
            self.expect("ending", row.ending, ENDINGS[obj.how], row, obj)
            if row.death:
                self.check_moment("death", row.death, obj.death, row, obj)
        else:
            self.expect("ending", row.ending, "alive", row, obj)


def is_by(row, obj, before):
    """Whether this task did it, in this context."""
    got, want = (row.death, obj.death) if before else (row.birth, obj.birth)
    return (got.tid, got.start, got.context) == (want.tid, want.start, CONTEXTS[want.context])


def match(checker, rows, objects):
    """Pairs of row and object, by address and time, and the rows that are left over."""
    by_key = defaultdict(list)
    for row in rows:
        moment = row.birth or row.death
        by_key[row.is_page, row.ptr].append((moment.time, row))
    for found in by_key.values():
        found.sort(key=lambda pair: pair[0])
    used, pairs = set(), []
    for obj in objects:
        before = obj.birth.phase == table.BEFORE
        window = obj.death if before else obj.birth
        found = by_key.get((obj.is_page, obj.ptr), [])
        hits = [row for time, row in found
                if window.lo - TOLERANCE_NS <= time <= window.hi + TOLERANCE_NS
                and bool(row.birth) != before and id(row) not in used]
        if len(hits) > 1:
            # While a task waits between its two readings of the clock, others may use
            # the address.
            hits = [row for row in hits if is_by(row, obj, before)]
        if len(hits) > 1:
            # One task may do so, too, within what is tolerated.
            hits = [row for row in hits
                    if window.lo <= (row.birth or row.death).time <= window.hi]
        if len(hits) == 1:
            used.add(id(hits[0]))
            pairs.append((hits[0], obj))
        elif before and obj.how in (table.RCU, table.RCU_HEADLESS) and not hits:
            # Older than the trace, which has only the request to free it.
            checker.counts["before_rcu_without_row"] += 1
        else:
            checker.faults.add("missing" if not hits else "twice",
                          "%d lifetimes for %s; at its address: %s" %
                          (len(hits), obj, [str(r) for _, r in found][:4]))
    return pairs, [row for row in rows if id(row) not in used]


def is_of_lt_truth(row, page_gfp):
    """By its site or its flags."""
    # The names of caches that lt_truth destroys are freed by the kernel in a tail
    # call, whose site is in lt_truth. Their births are the kernel's.
    moment = row.birth or row.death
    return (moment and "[lt_truth]" in moment.site) or \
        (row.is_page and row.birth and row.gfp & page_gfp == page_gfp)


def read_rows(checker, objects, page_gfp, found):
    """Those at the addresses of objects, or of lt_truth; of a long trace others are millions."""
    places = {(o.is_page, o.ptr) for o in objects}
    rows = []
    for row in found:
        if (row.is_page, row.ptr) in places or is_of_lt_truth(row, page_gfp):
            rows.append(row)
        else:
            checker.counts["other_rows"] += 1
    return rows


def check_surplus(checker, rest, page_gfp):
    """No lifetime of lt_truth may be there that it did not make."""
    for row in rest:
        if is_of_lt_truth(row, page_gfp):
            checker.faults.add("surplus", str(row))
    checker.counts["other_rows"] += len(rest)


def check_order(checker, pairs):
    """Of two calls on one CPU, the one that ended before the other began."""
    calls = defaultdict(list)
    for row, obj in pairs:
        if row.birth:
            calls[row.birth.cpu].append((obj.birth.lo, obj.birth.hi, row.birth.time, obj))
        if obj.died_in_trace and row.death:
            calls[row.death.cpu].append((obj.death.lo, obj.death.hi, row.death.time, obj))
    for found in calls.values():
        # A wrong time is a fault of its own, and would spoil what follows.
        found = sorted((c for c in found if c[0] - TOLERANCE_NS <= c[2] <= c[1] + TOLERANCE_NS),
                       key=lambda c: c[:3])
        latest = 0
        for (_, hi, time, obj), (lo, _, after, other) in zip(found, found[1:]):
            latest = max(latest, time if hi < lo else 0)
            checker.counts["orders_checked"] += 1
            if after < latest and hi < lo:
                checker.faults.add("sequence", "%s; %s" % (obj, other))


def count_nested(checker, objects):
    """Calls in an interrupt that came into a call of a task."""
    outer, inner = defaultdict(list), []
    for o in objects:
        for m in (o.birth, o.death):
            if m.phase != table.DURING or not m.lo or len(m.cpus) != 1:
                continue
            cpu = next(iter(m.cpus))
            if m.context == table.TASK:
                outer[cpu].append((m.lo, m.hi))
            else:
                inner.append((cpu, m.lo, m.hi))
    for calls in outer.values():
        calls.sort()
    for cpu, lo, hi in inner:
        i = bisect.bisect_left(outer[cpu], (lo,)) - 1
        if i >= 0 and outer[cpu][i][1] > hi:
            checker.counts["nested"] += 1


def check_failed(checker, program, path, failed):
    """
    Each allocation that failed is an event, in its time, with its size. There
    are kernels (6.12) that trace a large kmalloc twice, from within the
    allocator and for its caller. The module has one record of both, unless
    something came in between on that CPU, which is rare.
    """
    events = defaultdict(list)
    for e in dump(program, path, "--event", "alloc_failed"):
        events[e["bytes_req"], e["gfp_flags"], e["tid"]].append(e["time"])
    for o in failed:
        if o.kind == table.BULK or o.birth.phase != table.DURING:
            continue
        times = events[o.size, o.gfp, o.birth.tid]
        hits = [t for t in times if checker.in_window(t, o.birth)]
        twice = len(hits) == 2 and o.kind == table.KMALLOC
        if len(hits) != 1 and not twice:
            checker.faults.add("failed", "%d events for %s" % (len(hits), o))
            continue
        for t in hits:
            times.remove(t)
        checker.counts["failed_" + table.KIND_NAMES[o.kind]] += 1
        checker.counts["failed_and_traced_twice"] += twice
    twice, all_kmalloc = (checker.counts[key] for key in ("failed_and_traced_twice", "failed_kmalloc"))
    if twice * 20 > all_kmalloc:
        checker.faults.add("failed twice", "%d of %d" % (twice, all_kmalloc))


def count_wealth(checker, objects):
    """What the table holds, to be sure that it holds everything."""
    c = checker.counts
    addresses = Counter(a for _, a, name in checker.caches.values() if "cycle" in name)
    c["cache_addresses_reused"] = sum(n - 1 for n in addresses.values())
    for o in objects:
        c["kind_" + table.KIND_NAMES[o.kind]] += 1
        c["born_in_" + CONTEXTS[o.birth.context]] += 1
        if o.is_page:
            c["order_%d" % o.order] += 1
        if o.kind == table.KMALLOC and o.alloc > 8192:
            c["large_kmalloc"] += 1
        if o.node >= 0:
            c["with_node"] += 1
        if o.cache != table.NO_CACHE:
            name = checker.caches[o.cache][2]
            c["cache_" + ("lt_truth_cycle" if "cycle" in name else name)] += 1
        if o.birth.phase == table.BEFORE:
            c["born_before"] += 1
        if not o.died_in_trace:
            c["open"] += 1
            continue
        c["freed_by_" + table.HOW_NAMES[o.how].replace(" ", "_")] += 1
        c["died_in_" + CONTEXTS[o.death.context]] += 1
        c["other_cpu"] += not o.birth.cpus & o.death.cpus
        c["other_task"] += (o.birth.tid, o.birth.start) != (o.death.tid, o.death.start)
        c["threads_of_a_process"] += o.birth.tid != o.birth.tgid
        c["kfree_of_cache_object"] += o.kind in (table.CACHE, table.BULK) and \
            o.how == table.KFREE


NEEDED = ["kind_kmalloc", "kind_cache", "kind_bulk", "kind_pages", "born_in_task",
          "born_in_softirq", "born_in_hardirq", "died_in_task", "died_in_softirq",
          "died_in_hardirq", "large_kmalloc", "with_node", "cache_lt_truth_ctor",
          "cache_lt_truth_plain", "cache_lt_truth_merged", "cache_lt_truth_cycle",
          "cache_names_equal", "cache_names_merged", "cache_addresses_reused", "born_before",
          "open", "other_cpu", "other_task", "threads_of_a_process", "kfree_of_cache_object",
          "nested", "failed_kmalloc", "failed_pages", "null_frees", "certainty_exact",
          "certainty_open", "certainty_before", "orders_checked"] + \
         ["order_%d" % n for n in range(5)] + \
         ["freed_by_" + h for h in ("kfree", "kmem_cache_free", "bulk", "rcu", "rcu_headless",
                                    "pages")]


# What simple=1 and one CPU do not make, or by chance only.
NOT_SIMPLE = ("kind_bulk", "freed_by_bulk", "freed_by_rcu", "freed_by_rcu_headless", "other_cpu",
              "nested", "failed_pages", "cache_lt_truth_cycle", "cache_addresses_reused")


def main(program, path, directory, minimum, simple=None):
    checker = Checker(directory)
    all_objects = list(table.rows(os.path.join(directory, "objects")))
    module_counts = table.read_counts(os.path.join(directory, "counts"))
    objects = [o for o in all_objects if o.state in (table.LIVE, table.DEAD) and o.in_trace
               and not (o.birth.phase == table.BEFORE and not o.died_in_trace)]
    checker.learn_names(objects)
    info = ltfile.Trace(path).info()
    checker.late_free = info.get("late_free") == "1"
    checker.slots_are_larger = "kmalloc_slots" in info
    rows = read_rows(checker, objects, module_counts["page_gfp"],
                     lifetimes.read(program, path, bool(simple)))
    pairs, rest = match(checker, rows, objects)
    for row, obj in pairs:
        checker.check_row(row, obj)
    check_surplus(checker, rest, module_counts["page_gfp"])
    check_order(checker, pairs)
    if checker.counts["undecided_late_frees"] * 1000 > len(pairs):
        checker.faults.add("undecided", "more than one in a thousand lifetimes")
    count_nested(checker, objects)
    check_failed(checker, program, path, [o for o in all_objects if o.state == table.FAILED])
    count_wealth(checker, objects)
    checker.counts["null_frees"] = module_counts["null_frees"]
    print_counts(checker.counts)
    print("objects", len(objects))
    print("matched", len(pairs))
    checker.faults.print()
    # A kernel that checks itself merges no caches, and keeps what was freed for long.
    missing = [k for k in NEEDED if not checker.counts[k] and not (simple and k in NOT_SIMPLE) and
               not (checker.slots_are_larger and
                    k in ("cache_names_merged", "cache_addresses_reused"))]
    if missing:
        print("none at all:", *missing)
    if len(objects) < minimum:
        print("only %d objects, %d are wanted" % (len(objects), minimum))
    return 1 if checker.faults.total or missing or len(objects) < minimum else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or sys.argv[5:] not in ([], ["simple"]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], int(sys.argv[4]), *sys.argv[5:]))
