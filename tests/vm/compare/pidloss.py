#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidloss.py LIFETRACE FILE FORKS...

Children of tools/racer-forks, held against a trace in which events were lost: each
FORKS is one run's file. Counts by a reader of our own what was seen and lost, and

1. for each CPU, class and packet: seen = records + lost + filtered;
2. births and exits of the children that are in the trace are right, each is there
   at most once, and what is missing is not more than what was lost;
3. snapshots are complete, and the last one has none of the children, who are dead;
4. of what `lifetrace tasks` says of a child nothing is wrong that is called exact or
   bounded, and none is called alive.

Prints "key value" lines: kmem_lost, pid_lost, children, births, exits,
ends_exact, ends_uncertain and so on.
Exit status 1 when something is wrong.
"""
import json
import subprocess
import sys
from collections import Counter

import conservation
import ltfile

TOLERANCE_NS = 2000
N_CLASSES = 16          # of a channel


class Channel:
    """What the schema says of one channel, and its packets by CPU."""

    def __init__(self, number, name):
        self.number, self.name = number, name
        self.sizes, self.class_of, self.classes, self.streams = {}, {}, [], {}
        self.sites = {}         # nobody asks here what they mean


def channels(path):
    _, blocks = ltfile.read(path)
    text = next(b.payload for b in blocks if b.type == ltfile.SCHEMA).decode()
    lines = [line.split(" ") for line in text.splitlines()]
    found = {int(w[1]): Channel(int(w[1]), w[2]) for w in lines if w[0] == "channel"}
    for words in lines:
        if words[0] == "class":
            number, c = divmod(int(words[1]), N_CLASSES)
            found[number + 1].classes.append((words[2], c))
        elif words[0] == "event":
            channel = found[int(words[1])]
            channel.sizes[int(words[2])] = int(words[5])
            channel.class_of[int(words[2])] = words[4]
    for b in blocks:
        if b.type == ltfile.PACKET:
            p = ltfile.Packet(b.payload)
            found[p.channel].streams.setdefault(p.cpu, []).append(p)
    return found.values()


def check_sums(channel, faults, counts):
    """The sum, at each packet."""
    for cpu, packets in channel.streams.items():
        where, records = "%s of cpu %d" % (channel.name, cpu), Counter()
        packets.sort(key=lambda p: p.seq)
        for n, p in enumerate(packets):
            if p.seq != n:
                faults.add("%s: packet %d is missing" % (where, n))
            for id_, _, _, _ in p.records(channel):
                records[channel.class_of[id_]] += 1
            for name, c in channel.classes:
                seen, *lost, filtered = p.counts(c)
                if seen != records[name] + sum(lost) + filtered:
                    faults.add("%s, packet %d, class %s: seen %d, but %d records, %s lost" % (
                        where, n, name, seen, records[name], lost))
                counts["sums_checked"] += 1
        if not packets[-1].flags & 1:
            faults.add("%s: the last packet is missing" % where)
        for name, c in channel.classes:
            seen, *lost, _ = packets[-1].counts(c)
            counts[channel.name + "_seen"] += seen
            counts[channel.name + "_lost"] += sum(lost)
            counts["%s_lost_%s" % (channel.name, name)] += sum(lost)


class Children:
    """What racer-forks says, by tid. Numbers are not used again in so short a time."""

    def __init__(self, paths):
        self.by_tid = {}
        for path in paths:
            with open(path, encoding="ascii") as f:
                for line in f:
                    tid, before, after, status, name = line.split()
                    self.by_tid[int(tid)] = (int(before), int(after), int(status), name)

    def of(self, event):
        """The child that an event is about, by its number and time; or None."""
        child = self.by_tid.get(event.get("tid"))
        if child and child[0] - TOLERANCE_NS <= event["start"] <= child[1] + TOLERANCE_NS:
            return child
        return None


def check_events(program, path, children, faults, counts):
    born, exited, snaps = Counter(), Counter(), {}
    with subprocess.Popen([program, "dump", "--json", path], stdout=subprocess.PIPE,
                          text=True, errors="backslashreplace") as p:
        for line in p.stdout:
            e = json.loads(line)
            what = e["event"]
            if what == "snap_begin":
                snaps[e["epoch"]] = {"purpose": e["purpose"], "states": 0}
            elif what == "snap_end":
                snaps[e["epoch"]].update(complete=e["complete"], tasks=e["tasks"])
            if what not in ("task_new", "exit", "state"):
                continue
            child = children.of(e)
            if what == "state":
                snaps[e["epoch"]]["states"] += 1
                if child and snaps[e["epoch"]]["purpose"] == 2 and not e["flags"] & 8:
                    faults.add("the final snapshot has %s, who is dead" % child[3])
            if not child:
                continue
            if what == "task_new":
                born[e["tid"]] += 1
            elif what == "exit":
                exited[e["tid"]] += 1
                if e["code"] != child[2] << 8 or e["comm"] != child[3] or not e["group_dead"]:
                    faults.add("exit of %s: %s" % (child, e))
            if what != "state" and not \
                    child[0] - TOLERANCE_NS <= e["time"] <= child[1] + TOLERANCE_NS:
                faults.add("%s of %s at %d" % (what, child, e["time"]))
    if p.returncode:
        raise SystemExit("%s dump ended with %d" % (program, p.returncode))
    for name, found, class_ in (("births", born, "birth"), ("exits", exited, "exit")):
        counts[name] = len(found)
        if max(found.values(), default=0) > 1:
            faults.add("%s: some are there twice" % name)
        if len(children.by_tid) - len(found) > counts["pid_lost_" + class_]:
            faults.add("%d of %d %s, but only %d of the class were lost" % (
                len(found), len(children.by_tid), name, counts["pid_lost_" + class_]))
    counts["children"] = len(children.by_tid)
    check_snapshots(snaps, faults, counts)


def check_snapshots(snaps, faults, counts):
    if sorted(s["purpose"] for s in snaps.values()) != [0, 2]:
        faults.add("snapshots: %s" % snaps)
    for snap in snaps.values():
        if not snap.get("complete") or snap["tasks"] != snap["states"]:
            faults.add("not a complete snapshot: %s" % snap)
        counts["snapshot_tasks"] += snap["states"]


def check_tasks(program, path, children, faults, counts):
    text = subprocess.run([program, "tasks", "--json", path], stdout=subprocess.PIPE, text=True,
                          errors="backslashreplace", check=True).stdout
    seen = Counter()
    for t in map(json.loads, text.splitlines()):
        child = children.of(t)
        if not child:
            continue
        before, after, status, name = child
        birth, end = t["birth_certainty"], t["end_certainty"]
        counts["births_" + birth] += 1
        counts["ends_" + end] += 1
        seen[t["tid"]] += 1
        right = end != "open" and birth != "before"
        if birth == "exact":
            right = right and before <= t["birth_ns"] + TOLERANCE_NS <= after + 2 * TOLERANCE_NS
        if end == "exact":
            right = right and before <= t["end_ns"] <= after + TOLERANCE_NS and \
                (t["exit_code"], t["comm"]) == (status, name)
        elif end == "bounded":
            right = right and t["last_seen_ns"] <= after + TOLERANCE_NS and before <= t["end_ns"]
        if not right:
            faults.add("%s is said to be %s" % (child, t))
    if max(seen.values(), default=0) > 1:
        faults.add("some children are two tasks")
    for what in ("births", "exits"):
        name = {"births": "births_exact", "exits": "ends_exact"}[what]
        if counts[name] != counts[what]:
            faults.add("%d %s are in the trace, %d are called exact" % (
                counts[what], what, counts[name]))


def main(program, path, *forks):
    faults, counts = conservation.Faults(), Counter()
    for channel in channels(path):
        check_sums(channel, faults, counts)
    children = Children(forks)
    check_events(program, path, children, faults, counts)
    check_tasks(program, path, children, faults, counts)
    for key in sorted(counts):
        print(key, counts[key])
    print("faults", faults.n)
    return 1 if faults.n or not counts["sums_checked"] else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
