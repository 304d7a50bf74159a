#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidhard.py LIFETRACE TRACE LOG RELEASE

Compares a trace with the log of tools/hardcases, case by case, for the kernel RELEASE
(6.1 …). Each line of the log is a fact; each case checks what the trace must have of
it. A case that this kernel does not have is skipped, with the reason.

Prints "key value" lines, "case NAME ok|FAILED|skipped WHY" for each; exit status 1
when something is not so.
"""
import json
import sys

from common import usage
from pidlib import FINAL, IO_WORKER, World, joined_by_name

CLONE_VM, CLONE_VFORK, CLONE_PARENT, CLONE_THREAD = 0x100, 0x4000, 0x8000, 0x10000
EVENTS = ("oom_score_adj", "cred", "cgroup", "task_new", "exit", "exec", "release", "rename")


def text(hexadecimal):
    """Bytes as lifetrace puts them into JSON."""
    return bytes.fromhex(hexadecimal).decode("utf-8", "backslashreplace")


class Cases:
    def __init__(self, program, path, log, release):
        self.events = {name: [] for name in EVENTS}
        self.world = World(program, path, {n: self.events[n].append for n in EVENTS})
        self.f = self.world.faults
        self.found = joined_by_name(self.world, "h")
        self.release = tuple(map(int, release.split(".")[:2]))
        with open(log) as f:
            self.log = [json.loads(line) for line in f]
        self.skipped = 0

    def lines(self, case, role=None):
        return [e for e in self.log if e["case"] == case and role in (None, e.get("role"))]

    def line(self, case, role):
        return self.lines(case, role)[0]

    def task(self, case, role, n=0):
        e = self.lines(case, role)[n]
        t = self.found.get(int(e["name"][1:], 16))
        if t is None or t.id[0] != e["tid"]:
            raise LookupError("%s %s is not in the trace: %s" % (case, role, t))
        return t

    def of(self, name, t, tid="tid", start="start"):
        """The events of this name that are about a task, in order."""
        return [e for e in self.events[name] if (e[tid], e[start]) == t.id]

    def check(self, ok, what, *details):
        self.f.check(ok, self.case, "%s: %s" % (what, " ".join(map(str, details))))

    def run(self):
        for name in sorted(n[5:] for n in dir(self) if n.startswith("case_")):
            self.case, before = name, self.f.total
            try:
                why = getattr(self, "case_" + name)()
            # TypeError: a time is not known, since its record is not there.
            except (LookupError, StopIteration, TypeError) as error:
                why = self.f.add(name, repr(error))
            bad = self.f.total > before
            self.skipped += bool(why)
            print("case", name, "FAILED" if bad else "skipped: " + why if why else "ok")

    # ------------------------------------------------------------------

    def case_thread_exec(self):
        leader, thread = self.task("thread_exec", "leader"), self.task("thread_exec", "thread")
        exits, execs = self.of("exit", leader), self.of("exec", leader)
        self.check([e["group_dead"] for e in exits] == [0, 1], "exits of the leader", exits)
        self.check(len(execs) == 1, "execs", execs)
        e = execs[0]
        self.check((e["old_tid"], e["old_start"]) == thread.id, "by which thread", e, thread)
        self.check(exits[0]["time"] < e["time"] < exits[1]["time"], "order", exits, execs)
        self.check(not self.of("exit", thread), "the thread has an exit", thread)
        self.check(exits[1]["code"] == 7 << 8 and exits[1]["comm"] == "thread-exec", "its end",
                   exits[1])
        old = [r for r in self.events["release"]
               if (r["tid"], r["start"]) == (thread.id[0], leader.id[1])]
        self.check(len(old) == 1, "release of the old leader", old)
        self.check(len(self.of("release", leader)) == 1, "release of the process", leader)
        self.check(not self.of("release", thread), "release of the thread", thread)

    def case_leader_first(self):
        leader, thread = self.task("leader_first", "leader"), self.task("leader_first", "thread")
        late = self.line("leader_first", "late")["t"]
        self.check(not leader.group_dead and leader.exit < late, "the leader's exit", leader)
        self.check(thread.group_dead == 1 and thread.exit >= late, "the thread's exit", thread)
        self.check(thread.tgid == leader.id[0] and thread.parent == leader.parent, "group", thread)

    def case_clone_parent(self):
        creator = self.task("clone_parent", "creator")
        sibling = self.task("clone_parent", "sibling")
        self.check(sibling.creator == creator.id, "creator", sibling.creator)
        self.check(sibling.parent == creator.parent == self.task("main", "main").id, "parent",
                   sibling.parent, creator.parent)
        self.check(sibling.clone_flags & CLONE_PARENT, "flags", sibling.clone_flags)

    def case_vfork(self):
        parent, child = self.task("vfork", "parent"), self.task("vfork", "child")
        execs = self.of("exec", child)
        want = CLONE_VFORK | CLONE_VM
        self.check(child.clone_flags & (want | CLONE_THREAD) == want, "flags", child.clone_flags)
        self.check(child.creator == child.parent == parent.id, "parent", child.parent)
        self.check(len(execs) == 1, "execs", execs)
        # vfork() returns before the event of its child's exec, but not before that of its birth.
        self.check(child.born < self.line("vfork", "goes_on")["t"], "order", child)

    def case_pthread(self):
        leader, thread = self.task("pthread", "leader"), self.task("pthread", "thread")
        self.check(thread.tgid == leader.id[0] and thread.creator == leader.id, "group", thread)
        self.check(thread.code == 9 << 8 and not thread.group_dead, "the thread's end", thread)
        self.check(leader.code == 8 << 8 and leader.group_dead == 1, "the leader's end", leader)

    def case_io_worker(self):
        for e in self.lines("io_worker", "skipped"):
            return e["why"]
        e, owner = self.line("io_worker", "worker"), self.task("io_worker", "owner")
        t = next(t for t in self.world.tasks.values()
                 if t.id[0] == e["tid"] and t.born is not None and t.creator == owner.id)
        self.check(t.flags & IO_WORKER, "flags", t.flags)
        self.check(t.tgid == owner.id[0], "group", t.tgid)
        self.check(t.exit is not None and t.exit >= owner.born, "exit", t)
        self.check(e["comm"] in [n for _, n in t.names] + [t.end_comm], "name", t.names)

    def by_number(self, case, role):
        """{number: task}: the children log when they run, in any order."""
        tasks = [self.task(case, role, n) for n in range(len(self.lines(case, role)))]
        return {t.id[0]: t for t in tasks}

    def case_release_late(self):
        pairs, late = self.lines("release_late", "pair"), 0
        firsts = self.by_number("release_late", "first")
        seconds = self.by_number("release_late", "second")
        for pair in pairs:
            if pair["first"] != pair["second"]:
                continue
            first, second = firsts[pair["first"]], seconds[pair["second"]]
            self.check(first.exit < second.born < second.exit, "order", first, second)
            late += first.released is not None and first.released > second.born
            events = [e for e in self.world.reused if (e["tid"], e["start"]) == second.id]
            self.check([(e["old_tid"], e["old_start"]) for e in events] == [first.id], "reuse", events)
        print("released_after_the_next_birth %d of %d" % (late, len(pairs)))
        self.check(late >= len(pairs) // 2, "too few to show it", late)

    def case_burned(self):
        before, after = self.line("burned", "before"), self.line("burned", "after")
        n, root = after["n"], self.world.initial_ns()
        said = self.world.namespaces[root]
        burned = said[-1]["burned"] - said[0]["burned"]
        self.check(after["last"] - before["last"] >= n, "the case itself", before, after)
        self.check(burned == n, "burned", burned, n)
        born = [t for t in self.world.tasks.values()
                if t.born is not None and before["t"] < t.born < after["t"] and
                before["last"] < t.id[0] <= after["last"]]
        self.check(len(born) == after["last"] - before["last"] - n, "tasks that were born", born)

    def case_dead_leader(self):
        begin, end = self.line("dead_leader", "begin"), self.line("dead_leader", "end")
        leader, member = self.task("dead_leader", "leader"), self.task("dead_leader", "member")
        wraps = [w for w in self.world.wraps.get(self.world.initial_ns(), ())
                 if w["why"] == 1 and begin["t"] < w["time"] < end["t"]]
        self.check(wraps, "no wrap")
        taken = [t for t in self.world.tasks.values()
                 if t.id[0] == begin["number"] and t.born and leader.born < t.born < end["t"]]
        self.check(not taken, "its number was given", taken)
        self.check(leader.exit and member.exit and leader.exit < begin["t"] and
                   member.exit > end["t"], "the case itself")
        # The member is an orphan: its parent was the leader.
        self.check(member.parent == leader.id and member.end_parent != leader.id, "parents",
                   member.parent, member.end_parent)

    def case_oom(self):
        child = self.task("oom", "child")
        events = [(e["old"], e["oom_score_adj"]) for e in self.of("oom_score_adj", child, "tgid")]
        by = [(e["by"], e["by_start"]) == child.id
              for e in self.of("oom_score_adj", child, "tgid")]
        self.check(events == [(0, 300), (300, 500)] and all(by), "events", events)
        # The task that shares its memory has no event; its end has the value.
        sharer = self.task("oom_shared", "sharer")
        end = self.of("exit", sharer)
        self.check(end and end[0]["oom_score_adj"] == 500, "the sharer at its end", end)

    def case_cred(self):
        child = self.task("cred", "child")
        if not self.events["cred"]:
            return "changes of users are not watched on this kernel"
        keys = ("old_uid", "uid", "old_euid", "euid", "old_gid", "gid", "old_egid", "egid")
        events = [tuple(e[k] for k in keys) for e in self.of("cred", child)]
        self.check(events == [(0, 0, 0, 0, 0, 1001, 0, 1002),
                            (0, 2001, 0, 2002, 1001, 1001, 1002, 1002)], "events", events)
        return None

    def case_cgroup(self):
        child, group = self.task("cgroup", "child"), self.line("cgroup", "group")["id"]
        events = [(e["hierarchy"], e["cgroup"], e["group"]) for e in self.of("cgroup", child)]
        # The id of a cgroup is the inode of its directory.
        self.check([t[1:] for t in events] == [(group, 1)], "events", events, group)

    def case_comm(self):
        """Names of any bytes."""
        said = [e for e in self.lines("comm") if "comm" in e]
        self.check(len(said) >= 10, "too few", len(said))
        for n, e in enumerate(said):
            t = self.task("comm", "child", n)
            want = text(e["comm"])
            self.check(t.names[-1][1] == want and t.end_comm == want, "name", t.names, repr(want))

    def case_path(self):
        """Paths of any bytes and of any length."""
        said = [e for e in self.lines("path") if "path" in e]
        self.check(len(said) >= 15, "too few", len(said))
        lengths = set()
        for n, e in enumerate(said):
            t = self.task("path", "child", n)
            files = [x["file"] for x in self.of("exec", t)]
            self.check(files == [text(e["path"])], "path", files, repr(text(e["path"])))
            lengths.add(len(bytes.fromhex(e["path"])))
            name = bytes.fromhex(e["path"]).split(b"/")[-1][:15]
            if b"long" not in t.end_comm.encode():
                self.check(t.end_comm == name.decode("utf-8", "backslashreplace"), "name",
                           t.end_comm, name)
        self.check({56, 57, 256, 257, 4000} <= lengths, "lengths", lengths)

    def case_sums(self):
        self.world.check_sums()
        self.world.check_forest()
        self.world.check_reuse()
        self.world.check_generations()
        self.world.check_sight()
        self.check([s for s in self.world.snapshots.values() if s[0]["purpose"] == FINAL],
                   "no final snapshot")


def main():
    cases = Cases(*usage(__doc__, 4))
    cases.run()
    print("skipped", cases.skipped)
    cases.f.print()
    return 1 if cases.f.total else 0


if __name__ == "__main__":
    sys.exit(main())
