#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidtree.py LIFETRACE TRACE TRUTH MINIMUM_WRAPS

Compares a trace with what tools/storm wrote down of the tasks that it made: every task
is in the trace once, with its number, creator, parent, thread group, kind, exit status
and parent at the end; the trace's own sums close; each reuse of a number is reported
once, with the right tasks; the wraps are those of the row of numbers in the truth.

Prints "key value" lines; exit status 1 when something is not so.
"""
import struct
import sys
from bisect import bisect_right
from collections import Counter

from common import usage
from pidlib import IO_WORKER, KTHREAD, USER_WORKER, World, joined_by_name

HEADER = struct.Struct("<8sIIIIQQ")
RECORD = struct.Struct("<10I3Q")
KINDS = ("main", "worker", "fork", "vfork_exec", "exec", "sibling", "thread", "orphan", "killed",
         "thread_exec", "by_thread")
CLONE_VFORK, CLONE_PARENT, CLONE_THREAD = 0x4000, 0x8000, 0x10000
RESERVED = 300			# numbers below are not given a second time
NEAR = 20_000_000		# ns


class Made:
    __slots__ = ("serial", "creator", "parent", "group", "kind", "pid", "self", "code", "status",
                 "end_parent", "before", "first", "after")

    def __init__(self, values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)
        self.kind = KINDS[self.kind]


def read_truth(path):
    with open(path, "rb") as f:
        data = f.read()
    magic, size, count, pid_max, errors, begin, end = HEADER.unpack_from(data)
    if not magic.startswith(b"STORM-1") or size != RECORD.size or errors:
        raise SystemExit("%s: not a truth to hold a trace against" % path)
    body = data[HEADER.size:HEADER.size + size * count]
    if len(body) != size * count:
        raise SystemExit("%s: cut off" % path)
    made = [Made(values) for values in RECORD.iter_unpack(body)]
    return pid_max, begin, end, [m for m in made if m.self]


def unwrap(made, pid_max):
    """
    The revolution in which each number was given, by serial, from the row of
    numbers and times alone: numbers grow but for what several CPUs and a late
    clock mix up, so a step of more than half a revolution down is a wrap. Where
    it is not clear when a number was given, None.
    """
    span, turns, turn, last = pid_max - RESERVED, {}, 0, None
    for m in sorted(made, key=lambda m: m.before):
        upper = min(x for x in (m.first, m.after) if x)
        if upper - m.before > NEAR or m.self < RESERVED:
            turns[m.serial] = None
            continue
        if last is not None:
            if m.self < last - span // 2:
                turn += 1
            elif m.self > last + span // 2:
                turn -= 1
        last = m.self
        turns[m.serial] = turn
    return turns


def compare_edges(world, made, found):
    f, root = world.faults, world.initial_ns()
    kinds, edges = Counter(), 0
    of_pid = {m.self: m for m in made if m.kind in ("main", "worker")}
    for m in made:
        t = found.get(m.serial)
        if not f.check(t is not None, "not in the trace", "task %x" % m.serial):
            continue
        kinds[m.kind] += 1
        f.check(t.id[0] == m.self and (t.ns, t.nr) == (root, m.self), "another number",
                "%s, not %d" % (t, m.self))
        f.check(not t.flags & (KTHREAD | IO_WORKER | USER_WORKER), "flags", t)
        if m.kind != "main":
            edges += 1
            compare_edge(f, m, t, found)
        compare_death(f, m, t, found, of_pid)
    for kind in KINDS:
        print("kind_%s %d" % (kind, kinds[kind]))
        f.check(kinds[kind], "no task of the kind", kind)
    print("edges", edges)


def compare_edge(f, m, t, found):
    creator, parent, leader = (found.get(n) for n in (m.creator, m.parent, m.group))
    f.check(creator is not None and t.creator == creator.id, "another creator",
            "%s: %s, not %s" % (t, t.creator, creator))
    f.check(parent is not None and t.parent == parent.id, "another parent",
            "%s: %s, not %s" % (t, t.parent, parent))
    f.check(leader is not None and t.tgid == leader.id[0], "another thread group", t)
    f.check(creator is None or creator.order is None or t.order > creator.order,
            "born before its creator", t)
    flags = {"vfork_exec": CLONE_VFORK, "sibling": CLONE_PARENT, "thread": CLONE_THREAD,
             "thread_exec": CLONE_THREAD}.get(m.kind, 0)
    mask = CLONE_VFORK | CLONE_PARENT | CLONE_THREAD
    f.check(t.clone_flags & mask == flags, "clone flags", "%s: %#x" % (t, t.clone_flags))
    # All of its life lies where it was seen to lie.
    f.check(t.born >= m.before and (not m.after or t.born <= m.after), "time of birth",
            "%s: %d, not %d to %d" % (t, t.born, m.before, m.after))
    f.check(t.born <= m.first, "born after it ran", t)


def compare_death(f, m, t, found, of_pid):
    if m.kind == "thread_exec":
        leader = found.get(m.group)
        f.check(t.became is not None and leader is not None and t.became[1] == leader.id,
                "exec by a thread not seen", t)
        return
    if m.kind == "main":
        return
    f.check(t.exit is not None, "it never exits", t)
    # A program executed by a thread of it ends with the status of the leader.
    f.check(t.code == m.code, "exit status", "%s: %#x, not %#x" % (t, t.code, m.code))
    if m.end_parent:
        parent = of_pid.get(m.end_parent)
        where = found.get(parent.serial) if parent else None
        f.check(where is not None and t.end_parent == where.id, "another parent at the end",
                "%s: %s, not %d" % (t, t.end_parent, m.end_parent))
    if m.kind in ("exec", "vfork_exec"):
        f.check(t.execs and len(t.execs) == 1 and t.end_comm == "x%x" % m.serial, "no exec", t)


def compare_wraps(world, made, found, pid_max, minimum):
    """The trace's count of wraps grows as the row of numbers says."""
    f, root, turns = world.faults, world.initial_ns(), unwrap(made, pid_max)
    wraps = [w["time"] for w in world.wraps.get(root, ()) if w["why"] == 1]
    # Which turn the trace says: how many wraps there were before the birth. A
    # number that was given just before one may be born just behind it.
    clear, base = 0, None
    for m in sorted(made, key=lambda m: m.before):
        t, turn = found.get(m.serial), turns[m.serial]
        if t is None or t.born is None or turn is None:
            continue
        low, high = bisect_right(wraps, m.before - NEAR), bisect_right(wraps, t.born)
        if low != high:
            continue
        if base is None:
            base = low - turn
            first = m.before
        clear += 1
        f.check(low - turn == base, "another revolution",
                "%s: %d in the trace, %d in the truth" % (t, low - base, turn))
    last = max(t.born for t in found.values() if t.born is not None)
    in_truth = max(x for x in turns.values() if x is not None)
    in_trace = bisect_right(wraps, last) - bisect_right(wraps, first)
    print("wraps_in_truth", in_truth)
    print("wraps_in_trace", in_trace)
    print("numbers_with_a_clear_revolution", clear)
    f.check(in_truth == in_trace, "wraps", "%d in the truth, %d in the trace" %
            (in_truth, in_trace))
    f.check(in_truth >= minimum, "too few wraps", in_truth)
    # How many are clear depends on how long a birth takes beside a revolution: half of
    # them on an idle machine, a third on a busy one, few on kernels with checks. A tenth
    # are a hundred in each revolution.
    wanted = len(made) // 10 if minimum >= 30 else 100
    f.check(clear > wanted, "too few numbers with a clear revolution", clear)


def main():
    program, path, truth, minimum = usage(__doc__, 4)
    pid_max, begin, end, made = read_truth(truth)
    world = World(program, path)
    f = world.faults
    found = joined_by_name(world, "s")
    print("tasks_in_truth", len(made))
    compare_edges(world, made, found)
    f.check(len(found) == len(made), "tasks that were not made",
            "%d names, %d tasks" % (len(found), len(made)))
    world.check_sums()
    world.check_forest()
    world.check_reuse()
    world.check_generations()
    world.check_sight()
    compare_wraps(world, made, found, pid_max, int(minimum))
    late = world.check_releases(2_000_000_000)
    f.check(late == 0, "dead and not released", late)
    for key in sorted(world.counts):
        print("events_%s %d" % (key, world.counts[key]))
    print("seconds", (end - begin) // 1_000_000_000)
    f.print()
    return 1 if f.total else 0


if __name__ == "__main__":
    sys.exit(main())
