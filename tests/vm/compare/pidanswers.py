#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidanswers.py LIFETRACE TRACE [LOG]

Compares the answers of tasks, tree and hazards with a replay of the trace (pidlib.py):
each task once, with its birth, creator, parent, end, status, name; each edge of the
forest; the hazards, counted anew. With a LOG of tools/hardcases the forms of `tasks`
(JSON, CSV, text) must have equal contents, with its names and paths.

Prints "key value" lines, among them time and peak memory of each command; exit
status 1 when something is not so.
"""
import csv
import json
import subprocess
import sys
import time
from collections import Counter

from common import print_counts
from pidlib import IO_WORKER, USER_WORKER, World

CLONE_THREAD = 0x10000
GRACE = 20_000_000

counts = Counter()


def peak(pid):
    """kB of memory, at the most so far. (What wait4() says counts the forking parent's.)"""
    with open("/proc/%d/status" % pid) as f:
        return next((int(line.split()[1]) for line in f if line.startswith("VmHWM:")), 0)


def run(program, *arguments):
    """The lines of a command; its time and memory are printed."""
    begin = time.monotonic()
    most = 0
    p = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE)
    for n, line in enumerate(p.stdout):
        if n % 5000 == 0:
            most = max(most, peak(p.pid))
        yield line
    status = p.wait()
    name = "_".join(a.lstrip("-") for a in arguments[:-1])
    print("%s_seconds %.1f" % (name, time.monotonic() - begin))
    print("%s_mib %d" % (name, most // 1024))
    if status:
        raise SystemExit("%s: status %#x" % (" ".join(arguments), status))


def unescape(text):
    """tasks doubles backslashes, so that \\xHH always is a byte that is no UTF-8."""
    return text.replace("\\\\", "\\") if text is not None else None


class Answers:
    def __init__(self, program, path):
        self.program, self.path = program, path
        self.world = World(program, path)
        self.f = self.world.faults
        # A task that only shows behind the last snapshot need not be in the tables.
        self.tasks = {t.id: t for t in self.world.tasks.values()
                      if t.born is not None or t.tgid}
        # What ended behind the end of the trace was alive then.
        self.end = json.loads(b"".join(run(program, "info", "--absolute", "--json", path)))["end_ns"]

    def exited(self, t):
        return t.exit is not None and t.exit <= self.end

    def same(self, what, t, answer, real):
        counts["checks"] += 1
        self.f.check(answer == real, what, "%s: %s, not %s" % (t, answer, real))

    def each_task(self):
        left = dict(self.tasks)
        for line in run(self.program, "tasks", "--absolute", "--json", self.path):
            e = json.loads(line)
            t = left.pop((e["tid"], e["start_ns"]), None)
            if t is None:
                if (e["tid"], e["start_ns"]) in self.world.tasks:
                    counts["tasks_of_the_last_moment"] += 1
                else:
                    self.f.add("tasks: not in the trace", line[:200])
                continue
            self.one_task(e, t)
        for t in left.values():
            self.f.add("tasks: left out", t)
        counts["tasks"] = len(self.tasks) - len(left)

    def one_task(self, e, t):
        def ident(what):
            return (e[what + "_tid"], e[what + "_start_ns"]) if e[what + "_tid"] else None

        self.same("tasks: tgid", t, e["tgid"], t.tgid)
        self.same("tasks: number", t, (e["pid_namespace"], e["nr"]), (t.ns, t.nr))
        self.same("tasks: birth", t, e["birth_ns"], t.born)
        self.same("tasks: parent", t, ident("parent"), t.parent)
        self.same("tasks: worker", t, bool(e["io_worker"]), bool(t.flags & IO_WORKER))
        self.same("tasks: placeholder", t, e["placeholder"], 0)
        self.same("tasks: birth_certainty", t, e["birth_certainty"],
                  "exact" if t.born is not None else "before")
        if t.born is not None:
            self.same("tasks: creator", t, ident("creator"), t.creator)
            self.same("tasks: generation", t, e["generation"], t.generation)
            self.same("tasks: birth_comm", t, unescape(e["birth_comm"]) or "", t.names[0][1])
        if t.became and t.became[0] <= self.end:
            self.same("tasks: end of a thread", t, (e["ended_by"], e["exit_code"]),
                      ("became_leader", None))
        elif self.exited(t):
            signal = t.code & 0x7f
            self.same("tasks: status", t, (e["ended_by"], e["exit_code"], e["exit_signal"]),
                      ("exit", None if signal else t.code >> 8, signal))
            self.same("tasks: end", t, e["end_ns"], t.exit)
            self.same("tasks: comm", t, unescape(e["comm"]) or "", t.end_comm)
            self.same("tasks: last parent", t, ident("last_parent"), t.end_parent)
            self.same("tasks: release", t, e["release_ns"], t.released)
        else:
            self.same("tasks: alive", t, (e["ended_by"], e["end_ns"]), ("alive", None))
        if t.execs:
            self.same("tasks: file", t, unescape(e["file"]), t.execs[-1][1])
            self.same("tasks: execs", t, e["execs"], len(t.execs))

    def each_form(self):
        """CSV and text have the rows of JSON, one a line, without a raw control character."""
        rows = csv.DictReader(line.decode() for line in run(self.program, "tasks", "--absolute", "--csv",
                                                            self.path))
        n = 0
        for row in rows:
            n += 1
            self.same("csv: columns", row["tid"], None in row or None in row.values(), False)
            t = self.tasks.get((int(row["tid"]), int(row["start_ns"])))
            if t is None or not self.exited(t):
                continue
            self.same("csv: comm", t, csv_text(row["comm"]), t.end_comm)
            self.same("csv: end", t, int(row["end_ns"]), t.exit)
            if t.execs:
                self.same("csv: file", t, csv_text(row["file"]), t.execs[-1][1])
        self.same("csv: rows", "all", n, len(self.tasks) + counts["tasks_of_the_last_moment"])
        lines = 0
        for line in run(self.program, "tasks", self.path):
            body = line.rstrip(b"\n")
            self.same("text: control characters", body[:120],
                      any(c < 32 or c == 127 for c in body), False)
            words = body.split()
            lines += len(words) > 8 and words[1].isdigit() and words[2].isdigit()
        self.same("text: lines", "all", lines, n)

    def forest(self):
        """Each task below its parent, or its leader; all of them are there."""
        stack, left, totals, edges = [], dict(self.tasks), None, 0
        for line in run(self.program, "tree", "--absolute", "--json", "--threads", self.path):
            e = json.loads(line)
            if "totals" in e:
                totals = e["totals"]
                continue
            t = left.pop((e["tid"], e["start_ns"]), None)
            up = (e["up_tid"], e["up_start_ns"]) if "up_tid" in e else None
            del stack[e["depth"]:]
            self.same("tree: depth", t, len(stack), e["depth"])
            self.same("tree: place", t, up, stack[-1] if stack else None)
            stack.append((e["tid"], e["start_ns"]))
            if t is None:
                self.f.check(stack[-1] in self.world.tasks, "tree: not in the trace", line[:200])
                continue
            edges += 1
            self.same("tree: edge", t, up, self.above(t))
        for t in left.values():
            self.f.add("tree: left out", t)
        print("tree_edges", edges)
        real = Counter(born=0, died=0)
        for t in self.world.tasks.values():
            real["born"] += t.born is not None
            real["died"] += t.exit is not None
        root = self.world.initial_ns()
        reused = sum(e["ns"] == root for e in self.world.reused)
        wraps = [w["why"] for rows in self.world.wraps.values() for w in rows]
        for key, value in (("births", real["born"]), ("deaths", real["died"]), ("cycles", 0),
                           ("placeholders", 0), ("orphans", 0), ("refused", 0),
                           ("reused", reused), ("generations", len(wraps)),
                           ("wraps", wraps.count(1)),
                           ("became_leaders", len(self.world.thread_execs))):
            self.same("tree: total " + key, "all", totals[key], value)

    def above(self, t):
        """Where it belongs: a thread to its leader, a process to its first parent."""
        if t.tgid != t.id[0]:
            # Without a birth the trace does not have the start of the leader.
            leaders = [o.id for o in self.of_number(t.tgid) if o.born is None or
                       t.born is None or o.born <= t.born]
            return leaders[-1] if leaders else None
        return t.parent

    def of_number(self, tid):
        if not hasattr(self, "numbers"):
            self.numbers = {}
            for t in self.world.tasks.values():
                self.numbers.setdefault(t.id[0], []).append(t)
            for tasks in self.numbers.values():
                tasks.sort(key=lambda t: t.id[1])
        return self.numbers.get(tid, [])

    def hazards(self):
        answer = {}
        for line in run(self.program, "hazards", "--absolute", "--json", self.path):
            e = json.loads(line)
            if "hazard" in e:
                answer[e["hazard"]] = e["count"]
        real = self.count_hazards()
        for name in ("late_release", "quick_reuse", "reused_parent", "reuse_without_wrap",
                     "thread_became_leader", "exit_before_exec", "leader_first", "burned",
                     "creator_not_parent", "no_fork_event"):
            print("hazard_%s %d" % (name, answer.get(name, -1)))
            self.same("hazards: " + name, "all", answer.get(name), real[name])

    def old_leaders_released(self):
        """
        When the leaders were released whose place a thread took: under the number that
        had been the thread's. {the thread's id: time}
        """
        threads = {(e["old_tid"], e["start"]): thread for e, thread in self.world.thread_execs
                   if thread}
        return {threads[key].id: r["time"] for r in self.world.odd_releases
                for key in [(r["tid"], r["start"])] if key in threads}

    def count_hazards(self):
        w, real, children = self.world, Counter(), {}
        old_leaders = self.old_leaders_released()
        for t in w.tasks.values():
            if t.parent and t.tgid == t.id[0]:
                children.setdefault(t.parent, []).append(t)
        for (ns, _), row in w.holders().items():
            if ns != w.initial_ns():
                continue
            for old, new in zip(row, row[1:]):
                if new.born is None:
                    continue
                released = old_leaders.get(old.id, old.released)
                real["late_release"] += released is not None and released > new.born
                real["quick_reuse"] += old.exit is not None and new.born - old.exit < GRACE
                real["reused_parent"] += any(
                    (c.born or 0) < new.born and (c.exit is None or c.exit > new.born)
                    for c in children.get(old.id, ()))
        for t in w.tasks.values():
            real["no_fork_event"] += bool(t.flags & (IO_WORKER | USER_WORKER))
            real["leader_first"] += (t.exit is not None and t.id[0] == t.tgid and
                                     not t.group_dead)
            creator = w.tasks.get(t.creator)
            if t.born is not None and not t.clone_flags & CLONE_THREAD and creator and t.parent:
                real["creator_not_parent"] += creator.tgid != t.parent[0]
        real["thread_became_leader"] = real["exit_before_exec"] = len(w.thread_execs)
        real["reuse_without_wrap"] = sum(e["why"] == 2 for rows in w.wraps.values() for e in rows)
        real["burned"] = sum(w.gone.get(ns, rows[-1])["burned"]
                             for ns, rows in w.namespaces.items())
        return real


def csv_text(text):
    """The bytes of a cell, as they are in JSON."""
    out, at = [], 0
    while at < len(text):
        if text[at:at + 2] == "\\\\":
            out.append("\\")
            at += 2
        elif text[at:at + 2] == "\\x":
            value = int(text[at + 2:at + 4], 16)
            # A control character; else a byte that is no UTF-8, which JSON has so, too.
            out.append(chr(value) if value < 0x80 else text[at:at + 4])
            at += 4
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    answers = Answers(*sys.argv[1:3])
    answers.each_task()
    answers.forest()
    answers.hazards()
    if len(sys.argv) == 4:
        answers.each_form()
    print_counts(counts)
    answers.f.print()
    return 1 if answers.f.total else 0


if __name__ == "__main__":
    sys.exit(main())
