#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: ids.py LIFETRACE namespaces TRACE COUNT REUSES
       ids.py LIFETRACE caches TRACE MADE

Ids that are used again. Of namespaces: COUNT of them came and went; each that has a number in the
trace must have one first task, and the one in which root used the number 100 again must have
all REUSES, which `hazards` must show, too. Of caches: the objects of each thread of lt_caches must
be of lt_churn_THREAD_0, 1, 2, …, in the order of their births; MADE says how many there were.

Prints "key value" lines; exit status 1 when something is wrong.
"""
import csv
import json
import sys
from collections import Counter, defaultdict

from common import Faults, dump, lines, usage


def rows(tool, *arguments):
    text = (line.decode(errors="replace") for line in lines(tool, *arguments))
    return csv.DictReader(text)


def namespaces(tool, path, count, reuses, faults):
    firsts, numbers, unknown = Counter(), defaultdict(set), 0
    for t in rows(tool, "tasks", "--csv", path):
        if t["nr"] != "1" or t["tid"] == "1":
            # A task without a namespace's id has neither column.
            unknown += not t["pid_namespace"] or t["pid_namespace"] == "0"
            continue
        firsts[t["pid_namespace"]] += 1
        numbers[t["pid_namespace"]].add(t["tid"])
    for number, n in firsts.items():
        faults.check(n == 1, "first tasks", "namespace %s has %d" % (number, n))
    announced, again, meanings = set(), 0, 0
    here = Counter()
    reused = defaultdict(list)
    for e in dump(tool, path, "--channel=pid"):
        if e["event"] == "pid_ns_gone":
            here[e["ns"]] += 1
        elif e["event"] == "pid_ns":
            key = (e["ns"], here[e["ns"]])
            if key not in announced:
                announced.add(key)
                meanings += 1
                again += here[e["ns"]] > 0
        elif e["event"] == "number_reused" and e["nr"] == 100:
            reused[e["ns"], here[e["ns"]]].append(e)
    roots = [v for k, v in reused.items() if len(v) == reuses and k[0] != 1]
    faults.check(len(roots) == 1, "reuses of root", "%s" % {k: len(v) for k, v in reused.items()})
    for events in roots:
        generations = [e["generation"] for e in events]
        faults.check(len(set(generations)) == reuses, "generations", generations)
        faults.check([e["holders"] for e in events] == list(range(2, reuses + 2)), "holders", events)
    shown = 0
    for line in lines(tool, "hazards", "--json", "-n", "1000000", path):
        h = json.loads(line)
        if h.get("hazard") == "reuse_without_wrap":
            shown = sum(e["value"] == 100 for e in h["examples"])
    faults.check(shown >= reuses, "shown by hazards", "%d of %d" % (shown, reuses))
    without = 0
    for line in lines(tool, "verify", path):
        words = line.split()
        if b"namespaces had no id" in line or b"namespace had no id" in line:
            without = int(words[words.index(b"pid") - 1])
    found = sum(firsts.values())
    faults.check(found + unknown >= count, "namespaces", "%d and %d of %d" % (found, unknown, count))
    faults.check(bool(unknown) <= bool(without), "missing without a word", "%d tasks" % unknown)
    print("namespaces", found)
    print("namespaces_again", again)
    print("namespaces_without_id", without)


def caches(tool, path, made, faults):
    with open(made, encoding="ascii") as f:
        expected = [int(n) for n in f.read().split(",")]
    objects, of_task, threads = defaultdict(list), defaultdict(list), {}
    for row in rows(tool, "lifetimes", "--csv", path):
        if not row["birth_site"].startswith("lt_caches_churn"):
            continue
        of_task[row["birth_tid"]].append((int(row["birth_ns"]), row["cache"]))
        # A thread begins as "kthreadd", and a name that another task gives it may come late.
        if row["birth_comm"].startswith("lt_caches_"):
            threads[row["birth_tid"]] = int(row["birth_comm"][10:])
    for tid, thread in threads.items():
        objects[thread] += of_task[tid]
    ids, again, unnamed = Counter(), 0, 0
    for e in dump(tool, path, "--channel=kmem"):
        if e["event"] == "cache" and e["name"].startswith("lt_churn"):
            ids[e["cache"]] += 1
            again += ids[e["cache"]] > 1
    for thread, n in enumerate(expected):
        if not n:
            continue
        names = [cache for _, cache in sorted(objects[thread])]
        faults.check(len(names) == n, "objects", "thread %d: %d of %d" % (thread, len(names), n))
        for i, name in enumerate(names):
            if not name or not name.startswith("lt_churn"):
                unnamed += 1
                continue
            faults.check(name == "lt_churn_%d_%d" % (thread, i), "names",
                         "thread %d, %d: %s" % (thread, i, name))
    without = 0
    for line in lines(tool, "verify", path):
        words = line.split()
        if b"no slab cache" in line:
            without = int(words[words.index(b"incomplete:") + 1])
    faults.check(unnamed <= without, "unnamed without a word", "%d, %d counted" % (unnamed, without))
    print("caches", sum(expected))
    print("caches_again", again)
    print("caches_unnamed", unnamed)


def main():
    faults = Faults()
    if len(sys.argv) == 6 and sys.argv[2] == "namespaces":
        namespaces(sys.argv[1], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), faults)
    elif len(sys.argv) == 5 and sys.argv[2] == "caches":
        caches(sys.argv[1], sys.argv[3], sys.argv[4], faults)
    else:
        usage(__doc__)
    faults.print()
    return faults.total > 0


if __name__ == "__main__":
    sys.exit(main())
