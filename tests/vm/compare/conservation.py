#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: conservation.py LIFETRACE FILE DIR MIN-LOST MIN-EXACT MIN-BOUNDED

The trace of a flood with too small buffers, held against lt_truth's table.

1. seen = records + lost + filtered, for each CPU and class, at the end of each
   packet: counted here from the file by a reader of its own.
2. The counters in the last packets are those that the module told at the end.
3. Of the lifetimes, none that is called exact is wrong, and none that is called
   bounded, open or before claims what is not so. How many are uncertain is told.

At least MIN-LOST events must have been lost, and some of lt_truth's own
lifetimes be called uncertain for it; MIN-EXACT of them be called exact, and
MIN-BOUNDED bounded: or there was no test. Where a way to free is not watched,
"open" says no more than that no end was seen, and is not judged.
DIR holds objects. Prints "key value" lines; exit status 1 when one is wrong.
"""
import bisect
import os
import sys
from collections import Counter

import lifetimes
import ltfile
import table

SHOWN = 10
TOLERANCE_NS = 1000
CONTEXTS = {"task": 0, "softirq": 1, "hardirq": 2, "nmi": 3}


class Faults:
    def __init__(self):
        self.n = 0

    def add(self, text):
        self.n += 1
        if self.n <= SHOWN:
            print("WRONG:", text[:600])


def check_sums(trace, faults, counts):
    """The sum, at each packet; and the sums of losses, for the report."""
    schema = trace.schema
    for cpu, packets in trace.streams.items():
        records = Counter()
        for n, p in enumerate(packets):
            if p.seq != n:
                faults.add("cpu %d: packet %d is missing" % (cpu, n))
                return
            for id_, _, _, _ in p.records(schema):
                records[schema.class_of[id_]] += 1
            lost_all = 0
            for name, c in schema.classes.items():
                seen, *lost, filtered = p.counts(c)
                lost_all += sum(lost)
                if seen != records[c] + sum(lost) + filtered:
                    faults.add("cpu %d packet %d class %s: seen %d, but %d records, %s lost, "
                               "%d filtered" % (cpu, n, name, seen, records[c], lost, filtered))
                counts["sums_checked"] += 1
            if lost_all != p.discarded:
                faults.add("cpu %d packet %d: %d lost, discarded says %d" %
                           (cpu, n, lost_all, p.discarded))
        if not packets[-1].flags & 1:
            faults.add("cpu %d: the last packet is missing" % cpu)
        for name, c in schema.classes.items():
            values = dict(zip(ltfile.COUNT_NAMES, packets[-1].counts(c)))
            counts["seen"] += values["seen"]
            counts["filtered"] += values["filtered"]
            for key in ltfile.COUNT_NAMES[1:5]:
                counts[key] += values[key]
            counts["lost"] += sum(values[key] for key in ltfile.COUNT_NAMES[1:5])
            check_stats(trace, cpu, name, values, faults)
        counts["records"] += sum(n for c, n in records.items() if c is not None)
        counts["packets"] += len(packets)


def check_stats(trace, cpu, name, values, faults):
    """The module's own last word on one class of one CPU, if it has one."""
    for line in trace.text(ltfile.STATS, -1).splitlines():
        words = line.split()
        if words[:4] == ["cpu", str(cpu), "class", name]:
            told = {k: int(v) for k, v in zip(words[4::2], words[5::2])}
            if told != values:
                faults.add("cpu %d class %s: stats %s, packets %s" % (cpu, name, told, values))
            return
    if values["seen"]:
        faults.add("cpu %d class %s: not in stats" % (cpu, name))


class Truth:
    """Objects by their address, in order of birth."""

    def __init__(self, path):
        self.by_ptr, self.deaths, self.n, self.longest = {}, {}, 0, 0
        for o in table.rows(path):
            if o.state not in (table.LIVE, table.DEAD):
                continue
            self.n += 1
            self.by_ptr.setdefault((o.is_page, o.ptr), []).append(
                (o.birth.lo, o.birth.hi, o.death.lo if o.dead else None, o.death.hi,
                 o.birth.phase, o.death.phase, o.size, (o.birth.tid, o.birth.context),
                 (o.death.tid, o.death.context)))
            self.longest = max(self.longest, o.birth.hi - o.birth.lo, o.death.hi - o.death.lo)
        for key, objects in self.by_ptr.items():
            objects.sort()
            self.deaths[key] = sorted((o[2], o[3], o) for o in objects if o[2] is not None)

    # A task that has to wait between the two readings of the clock may find
    # that the address was in other hands meanwhile: so it must be its own call.

    def around(self, windows, time):
        """Of windows in order of their begin, those that a time lies in."""
        i = bisect.bisect_right(windows, (time + TOLERANCE_NS + 1,))
        while i and windows[i - 1][0] >= time - self.longest - TOLERANCE_NS:
            i -= 1
            if windows[i][1] + TOLERANCE_NS >= time:
                yield windows[i]

    def born_at(self, key, moment):
        who = (moment.tid, CONTEXTS[moment.context])
        return [o for o in self.around(self.by_ptr.get(key, ()), moment.time) if o[7] == who]

    def died_at(self, key, moment):
        who = (moment.tid, CONTEXTS[moment.context])
        return [o for _, _, o in self.around(self.deaths.get(key, ()), moment.time)
                if o[8] == who]


def judge(row, truth, all_watched):
    """Is what this lifetime claims true? None: it is not about our objects."""
    key = (row.is_page, row.ptr)
    born = truth.born_at(key, row.birth) if row.birth else []
    died = truth.died_at(key, row.death) if row.death else []
    if not born and not died:
        return None
    if row.certainty == "exact":
        return any(o in died and (row.is_page or row.size == o[6]) for o in born)
    if row.certainty == "bounded":
        return any(o[2] is not None and o[2] <= row.bound + TOLERANCE_NS for o in born)
    if row.certainty == "open":
        return not all_watched or any(o[2] is None or o[5] == table.AFTER for o in born)
    if row.certainty == "before":
        return any(o[4] == table.BEFORE for o in died)
    return True


def check_lifetimes(program, path, truth, all_watched, faults, counts):
    births = set()
    for row in lifetimes.read(program, path):
        counts["rows_" + row.certainty] += 1
        right = judge(row, truth, all_watched)
        if right is None:
            continue
        counts["ours_" + row.certainty] += 1
        if not right:
            counts["wrong_" + row.certainty] += 1
            faults.add("%s: %s" % (row, truth.by_ptr.get((row.is_page, row.ptr))))
        if row.birth:
            if (row.is_page, row.ptr, row.birth.time) in births:
                faults.add("%s: a second time" % row)
            births.add((row.is_page, row.ptr, row.birth.time))


def frees_watched(trace):
    lines = [line.split("\t") for line in trace.text(ltfile.EVENTS).splitlines()]
    state = {words[0]: words[2] for words in lines if len(words) > 2}
    return all(state.get(name) == "watched"
               for name in ("kfree", "kmem_cache_free", "bulk_free", "rcu_free"))


def main(program, path, directory, min_lost, min_exact, min_bounded):
    faults, counts = Faults(), Counter()
    trace = ltfile.Trace(path)
    check_sums(trace, faults, counts)
    truth = Truth(os.path.join(directory, "objects"))
    check_lifetimes(program, path, truth, frees_watched(trace), faults, counts)
    counts["truth_objects"] = truth.n
    for key in sorted(counts):
        print(key, counts[key])
    ours = sum(n for key, n in counts.items() if key.startswith("ours_"))
    rows = sum(n for key, n in counts.items() if key.startswith("rows_"))
    print("uncertain_share_of_ours %.3f" % (counts["ours_uncertain"] / max(ours, 1)))
    print("uncertain_share_of_all %.3f" % (counts["rows_uncertain"] / max(rows, 1)))
    print("faults", faults.n)
    enough = True
    for key, minimum in (("lost", min_lost), ("ours_exact", min_exact),
                         ("ours_uncertain", 1 if min_lost else 0),
                         ("ours_bounded", min_bounded), ("sums_checked", 20)):
        if counts[key] < minimum:
            print("only %d %s, %d are wanted" % (counts[key], key, minimum))
            enough = False
    return 0 if enough and not faults.n else 1


if __name__ == "__main__":
    if len(sys.argv) != 7:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], *map(int, sys.argv[4:])))
