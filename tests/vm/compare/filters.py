#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: filters.py LIFETRACE FILE DIR FILTER

Compares the births of a trace that was recorded with a filter with lt_truth's own table (DIR
holds its objects and caches, and slab, the list of /sys/kernel/slab): those that the filter keeps are there, with their deaths, the
others are not; and no birth at all is there that the filter leaves out.

FILTER: caches=NAME,NAME*,... code sizes=FROM-TO tree

Prints "key value" lines; exit status 1 when anything differs.
"""
import fnmatch
import json
import os
import re
import sys
from collections import Counter, defaultdict

import lifetimes
import table
from common import Faults, lines, print_counts

# The clock may step back by some ns when the kernel adjusts it.
TOLERANCE_NS = 1000


def tree_of_command(program, path):
    """The numbers of the tasks that descend from the child of the recorder that ran the command."""
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))["info"]
    tasks = [json.loads(line) for line in lines(program, "tasks", "--absolute", "--json", path)]
    recorder = int(info["recorder_tgid"])
    # The child is older than the session: it has a parent, but no birth.
    tree = {t["tid"] for t in tasks if t["tgid"] != recorder and
            recorder in (t["creator_tid"], t["parent_tid"])}
    if "only_pid" in info and tree != {int(info["only_pid"])}:
        raise SystemExit("%s: the command is %s, by the tasks %s" % (path, info["only_pid"], tree))
    more = True
    while more:
        found = {t["tid"] for t in tasks if t["creator_tid"] in tree} - tree
        more = bool(found)
        tree |= found
    return tree


def merged(path):
    """The names of caches that share one with others, whose name it may have."""
    with open(path, encoding="utf-8") as f:
        target = dict(re.findall(r"(\S+) -> (\S+)$", f.read(), re.M))
    used = Counter(target.values())
    return {name for name, to in target.items() if used[to] > 1}


class Filter:
    def __init__(self, text, program, path, caches, shared):
        self.kind, _, value = text.partition("=")
        self.caches, self.shared = caches, shared
        if self.kind == "caches":
            self.names = value.split(",")
        elif self.kind == "sizes":
            self.least, self.most = map(int, value.split("-"))
        elif self.kind == "tree":
            self.tree = tree_of_command(program, path)

    def is_named(self, name):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.names)

    def keeps(self, o):
        """An object of the table; None: the table does not say."""
        if self.kind == "caches":
            if o.kind == table.KMALLOC:
                size = o.alloc
                return self.is_named("kmalloc-%s" % ("%dk" % (size >> 10) if size >= 1024 else size))
            name = self.caches[o.cache][2]
            return None if name in self.shared else self.is_named(name)
        if self.kind == "sizes":
            return self.least <= o.size <= self.most
        if self.kind == "tree":
            return o.birth.context == table.TASK and o.birth.tid in self.tree
        return True

    def fits(self, life):
        """Any birth of the trace."""
        if self.kind == "caches":
            return self.is_named(life.cache) or life.cache.startswith("kmalloc")
        if self.kind == "sizes":
            return self.least <= life.size <= self.most
        if self.kind == "tree":
            return life.birth.context == "task" and life.birth.tid in self.tree
        return "[lt_truth]" in life.birth.site


def may_be(life, o):
    """
    Whether a lifetime in the trace may be that of an object of the table. While its call was
    preempted, others may have had the address before it; those had died when the call returned.
    """
    if life.death and life.death.time < o.birth.hi:
        return False
    return o.birth.lo - TOLERANCE_NS <= life.birth.time <= o.birth.hi + TOLERANCE_NS


def main(program, path, directory, text):
    counts, faults = Counter(), Faults()
    caches = table.read_caches(os.path.join(directory, "caches"))
    wanted = Filter(text, program, path, caches, merged(os.path.join(directory, "slab")))
    births = defaultdict(list)
    for life in lifetimes.read(program, path):
        if not life.birth:
            continue
        counts["births"] += 1
        births[life.is_page, life.ptr].append(life)
        faults.check(wanted.fits(life), "left in", life)
    with_pages = any(is_page for is_page, _ in births)
    for o in table.rows(os.path.join(directory, "objects")):
        if o.birth.phase != table.DURING or o.state not in (table.LIVE, table.DEAD) or \
           (o.is_page and not with_pages):
            continue
        found = [life for life in births[o.is_page, o.ptr] if may_be(life, o)]
        keeps = wanted.keeps(o)
        if keeps is None:
            counts["not_known"] += 1
            continue
        if not keeps:
            counts["left_out"] += 1
            faults.check(not found, "not left out", o)
            continue
        counts["kept"] += 1
        if not faults.check(found, "missing", o):
            continue
        if len(found) == 1 and o.died_in_trace and o.how not in (table.RCU, table.RCU_HEADLESS):
            faults.check(found[0].death and found[0].death.time <= o.death.hi + TOLERANCE_NS and
                         found[0].death.time >= o.death.lo - TOLERANCE_NS, "other death",
                         "%s: %s" % (o, found[0]))
    if text == "code":
        faults.check(counts["births"] == counts["kept"], "twice", counts)
    print_counts(counts)
    faults.check(counts["kept"] >= 50, "too few", "%d objects were kept" % counts["kept"])
    faults.check(text == "code" or counts["left_out"] >= 50, "too few left out", counts["left_out"])
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
