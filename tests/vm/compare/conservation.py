#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: conservation.py LIFETRACE FILE DIR MIN-LOST MIN-EXACT MIN-BOUNDED

Compares the trace of a flood with too small buffers with lt_truth's table, and with
its own sums.

1. seen = records + lost + filtered, for each CPU and class, at the end of each
   packet: counted from the file by ltfile.
2. The counters in the last packets are those that the module wrote at the end.
3. No lifetime that is called exact is wrong, and none that is called bounded, open or
   before claims what is not so. Uncertain ones are counted.

The comparison shows nothing, and fails, unless MIN-LOST events were lost at least, and
some lifetimes of lt_truth are called uncertain for it; MIN-EXACT of them are called
exact, and MIN-BOUNDED bounded. Where a way to free is not watched, "open" means only
that no end was seen, and is not judged.
DIR holds objects. Prints "key value" lines; exit status 1 when something is wrong.
"""
import bisect
import os
import sys
from collections import Counter

import lifetimes
import ltfile
import sums
import table
from common import CONTEXTS, Faults, print_counts

TOLERANCE_NS = 1000


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

    # While a task waits between its two readings of the clock, others may use the
    # address: so the task and context of the call must fit, too.

    def around(self, windows, time):
        """Of windows in order of their begin, those that a time lies in."""
        i = bisect.bisect_right(windows, (time + TOLERANCE_NS + 1,))
        while i and windows[i - 1][0] >= time - self.longest - TOLERANCE_NS:
            i -= 1
            if windows[i][1] + TOLERANCE_NS >= time:
                yield windows[i]

    def born_at(self, key, moment):
        caller = (moment.tid, CONTEXTS[moment.context])
        return [o for o in self.around(self.by_ptr.get(key, ()), moment.time) if o[7] == caller]

    def died_at(self, key, moment):
        caller = (moment.tid, CONTEXTS[moment.context])
        return [o for _, _, o in self.around(self.deaths.get(key, ()), moment.time)
                if o[8] == caller]


def judge(row, truth, all_watched):
    """Whether the claim of a lifetime is true; None: it is of no object of lt_truth."""
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
            faults.add(row.certainty, "%s: %s" %
                       (row, truth.by_ptr.get((row.is_page, row.ptr))))
        if row.birth:
            if (row.is_page, row.ptr, row.birth.time) in births:
                faults.add("a second time", row)
            births.add((row.is_page, row.ptr, row.birth.time))


def frees_watched(trace):
    lines = [line.split("\t") for line in trace.text(ltfile.EVENTS).splitlines()]
    state = {words[0]: words[2] for words in lines if len(words) > 2}
    return all(state.get(name) == "watched"
               for name in ("kfree", "kmem_cache_free", "bulk_free", "rcu_free"))


def main(program, path, directory, min_lost, min_exact, min_bounded):
    faults, counts = Faults(), Counter()
    trace = ltfile.Trace(path)
    found = sums.check(trace, faults)
    for key in (*ltfile.COUNT_NAMES, "records"):
        counts[key] = sums.total(found, key)
    counts["lost"] = sums.lost(found)
    counts["packets"], counts["sums_checked"] = found["packets"], found["sums_checked"]
    truth = Truth(os.path.join(directory, "objects"))
    check_lifetimes(program, path, truth, frees_watched(trace), faults, counts)
    counts["truth_objects"] = truth.n
    print_counts(counts)
    ours = sum(n for key, n in counts.items() if key.startswith("ours_"))
    rows = sum(n for key, n in counts.items() if key.startswith("rows_"))
    print("uncertain_share_of_ours %.3f" % (counts["ours_uncertain"] / max(ours, 1)))
    print("uncertain_share_of_all %.3f" % (counts["rows_uncertain"] / max(rows, 1)))
    faults.print()
    enough = True
    for key, minimum in (("lost", min_lost), ("ours_exact", min_exact),
                         ("ours_uncertain", 1 if min_lost else 0),
                         ("ours_bounded", min_bounded), ("sums_checked", 20)):
        if counts[key] < minimum:
            print("only %d %s, %d are wanted" % (counts[key], key, minimum))
            enough = False
    return 0 if enough and not faults.total else 1


if __name__ == "__main__":
    if len(sys.argv) != 7:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], *map(int, sys.argv[4:])))
