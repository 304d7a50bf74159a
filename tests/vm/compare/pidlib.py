# SPDX-License-Identifier: GPL-2.0
"""
A replay of the tasks and numbers of a trace from `lifetrace dump --json`, and checks
that every trace must pass. It uses nothing else of the tool.
"""
import re
from bisect import bisect_right
from collections import Counter

from common import Faults, dump

INITIAL, DEMAND, FINAL = 0, 1, 2
KTHREAD, IO_WORKER, USER_WORKER, EXITING = 1, 2, 4, 8
SLACK = 1_000_000		# ns between two clocks, or two CPUs


class Task:
    """One instance: (tid, start). What is None was not seen."""

    __slots__ = ("id", "tgid", "creator", "parent", "clone_flags", "flags", "ns", "nr",
                 "generation", "born", "seen", "numbers", "names", "exit", "code", "group_dead",
                 "end_parent", "end_comm", "released", "became", "execs", "oom", "order")

    def __init__(self, ident):
        for name in self.__slots__:
            setattr(self, name, None)
        self.id, self.numbers = ident, ()
        self.flags = self.clone_flags = self.code = self.tgid = self.oom = 0

    def __repr__(self):
        return "%d@%d(%s)" % (self.id[0], self.id[1], self.name)

    @property
    def name(self):
        return self.names[-1][1] if self.names else "?"


def ident(event, tid, start):
    return (event[tid], event[start]) if event[tid] else None


class World:
    """
    The replay. handlers: event name: function(event) that is called in addition.
    """

    def __init__(self, program, path, handlers=None, faults=None):
        self.faults = faults if faults is not None else Faults()
        self.tasks = {}			# id: Task
        self.alive = {}			# id: Task, at this point of the replay
        self.snapshots = {}		# epoch: (begin, end, {id: state})
        self.reused = []		# number_reused, in order
        self.wraps = {}			# ns: [wrap]
        self.namespaces = {}		# ns: [pid_ns]
        self.gone = {}			# ns: pid_ns_gone
        self.thread_execs = []		# (exec, Task that ended by it or None)
        self.odd_releases = []		# of no instance
        self.counts = Counter()
        # Between the snapshots each task must be known. Births are watched last of all,
        # so at both ends tasks without one do something.
        self.complete = False
        self.end_time = 0
        pending = {}
        extra = handlers or {}
        mine = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("on_")}
        for e in dump(program, path):
            name = e["event"]
            self.counts[name] += 1
            self.end_time = e["time"]
            if name == "task_number":
                pending.setdefault((e["tid"], e["start"]), []).append(
                    (e["ns"], e["nr"], e["generation"]))
            elif name == "task_new":
                self.on_new(e, tuple(pending.pop((e["tid"], e["start"]), ())))
            elif name in mine:
                mine[name](e)
            if name in extra:
                extra[name](e)
        for key in pending:
            self.faults.add("numbers without a birth", key)
        self.check_odd_releases()

    def on_new(self, e, numbers):
        key = (e["tid"], e["start"])
        f, t = self.faults, Task(key)
        if key in self.tasks and self.tasks[key].born is not None:
            f.add("born twice", key)
        if key in self.tasks:
            # The walk was there first: a birth comes after its task can be seen.
            self.counts["seen_before_birth"] += 1
            t = self.tasks[key]
        t.tgid, t.clone_flags, t.flags = e["tgid"], e["clone_flags"], e["flags"]
        t.creator = ident(e, "creator", "creator_start")
        t.parent = ident(e, "parent", "parent_start")
        t.ns, t.nr, t.generation, t.numbers = e["ns"], e["nr"], e["generation"], numbers
        t.born, t.oom, t.order = e["time"], e["oom_score_adj"], self.counts["task_new"]
        t.names = [(e["time"], e["comm"])]
        for other, what in ((t.creator, "creator"), (t.parent, "parent")):
            if other is not None and other not in self.tasks and self.complete:
                f.add("orphan", "%s: its %s %s is not known" % (t, what, other))
        self.tasks[key] = self.alive[key] = t

    def on_snap_begin(self, e):
        f = self.faults
        f.check(e["lost"] == 0, "lost", "before snapshot %d" % e["epoch"])
        self.snapshots[e["epoch"]] = [e, None, {}, set(self.alive)]

    def on_snap_end(self, e):
        f, (begin, _, states, before) = self.faults, self.snapshots[e["epoch"]]
        self.snapshots[e["epoch"]][1] = e
        f.check(e["complete"] == 1, "snapshot not complete", e["epoch"])
        f.check(e["lost"] == 0, "lost", "before the end of snapshot %d" % e["epoch"])
        f.check(e["tasks"] == len(states), "snapshot count",
                "%d: says %d, has %d" % (e["epoch"], e["tasks"], len(states)))
        self.complete = begin["purpose"] != FINAL
        if begin["purpose"] == INITIAL:
            return
        # A task that was alive before and after the snapshot must be in it.
        for key in before:
            if key in self.alive and key not in states:
                f.add("not in the snapshot", self.tasks[key])

    def on_state(self, e):
        key = (e["tid"], e["start"])
        f, (begin, _, states, _) = self.faults, self.snapshots[e["epoch"]]
        f.check(key not in states, "twice in a snapshot", key)
        states[key] = e
        t = self.tasks.get(key)
        if t is None and self.complete:
            f.add("placeholder", "%s %s is in a snapshot, its birth is not in the trace" %
                  (key, e["comm"]))
        if t is None or t.tgid == 0:
            # Events that came before it are newer than what it says.
            t = self.tasks.setdefault(key, Task(key))
            t.tgid, t.flags, t.ns, t.nr = e["tgid"], e["flags"] & 7, e["ns"], e["nr"]
            t.parent = ident(e, "parent", "parent_start")
            t.seen, t.oom = e["time"], e["oom_score_adj"]
            t.names = t.names or [(e["time"], e["comm"])]
            if not e["flags"] & EXITING and t.exit is None:
                self.alive[key] = t
        elif key not in self.alive and not e["flags"] & EXITING:
            # Read before its death and written after it.
            f.check(t.exit is not None and t.exit >= begin["time"], "dead and in a snapshot", t)
            self.counts["died_while_written"] += 1

    def known(self, e, what, tid="tid", start="start"):
        """The task of an event; before the end of the initial snapshot it may be a new one."""
        t = self.tasks.get((e[tid], e[start]))
        if t is None:
            if self.complete:
                self.faults.add("placeholder", "%s of %d@%d" % (what, e[tid], e[start]))
            t = self.tasks[e[tid], e[start]] = Task((e[tid], e[start]))
            t.seen = e["time"]
            t.names = []
            self.alive[t.id] = t
            self.counts["before_" + what] += 1
        return t

    def on_rename(self, e):
        t = self.known(e, "rename")
        if t.names and t.name != e["old"]:
            # A thread that is becoming the leader has its own name; its exec follows.
            if any(o.tgid == t.tgid and o.name == e["old"] and o.became is None
                   for o in self.alive.values()):
                self.counts["renamed_by_a_thread"] += 1
            else:
                self.faults.add("another old name", "%s: %s" % (t, e))
        t.names = (t.names or []) + [(e["time"], e["comm"])]

    def on_exec(self, e):
        t = self.known(e, "exec")
        t.execs = (t.execs or []) + [(e["time"], e["file"])]
        if e["tid"] == e["old_tid"]:
            return
        # A thread became the leader: it ends, and the leader lives on.
        thread = self.tasks.get((e["old_tid"], e["old_start"]))
        self.thread_execs.append((e, thread))
        if thread is None:
            self.faults.add("exec by an unknown thread", e)
        else:
            self.faults.check(thread.exit is None, "exec by a dead thread", thread)
            self.faults.check(thread.tgid == e["tid"], "exec by a foreign thread", e)
            thread.became = (e["time"], t.id)
            # Its release will be that of the old leader's task.
            self.alive.pop(thread.id, None)
        if t.exit is not None:
            self.faults.check(not t.group_dead, "exec by a dead group", t)
            t.exit = None
            self.alive[t.id] = t

    def on_exit(self, e):
        t = self.known(e, "exit")
        self.faults.check(t.exit is None, "two exits", t)
        t.exit, t.code, t.group_dead = e["time"], e["code"], e["group_dead"]
        t.end_parent, t.end_comm = ident(e, "parent", "parent_start"), e["comm"]
        if t.names and t.name != e["comm"]:
            self.faults.add("another name at the end", "%s: %s" % (t, e["comm"]))
        self.alive.pop(t.id, None)

    def on_release(self, e):
        t = self.tasks.get((e["tid"], e["start"]))
        if t is None or t.became is not None:
            self.odd_releases.append(e)
            return
        self.faults.check(t.released is None, "two releases", t)
        self.faults.check(t.exit is not None, "released without an exit", t)
        t.released = e["time"]

    def check_odd_releases(self):
        """Of an old leader: the thread's tid, and the leader's start. Or from before."""
        leaders = {(e["old_tid"], e["start"]) for e, _ in self.thread_execs}
        begin = min(s[0]["time"] for s in self.snapshots.values())
        for e in self.odd_releases:
            if (e["tid"], e["start"]) in leaders:
                leaders.remove((e["tid"], e["start"]))
                self.counts["old_leaders_released"] += 1
            elif e["time"] - begin < 1_000_000_000:
                self.counts["released_from_before"] += 1
            else:
                self.faults.add("placeholder", "release of %d@%d" % (e["tid"], e["start"]))

    def on_number_reused(self, e):
        self.reused.append(e)

    def on_wrap(self, e):
        self.wraps.setdefault(e["ns"], []).append(e)

    def on_pid_ns(self, e):
        self.namespaces.setdefault(e["ns"], []).append(e)

    def on_pid_ns_gone(self, e):
        self.gone[e["ns"]] = e

    # ------------------------------------------------------------------

    def check_sums(self):
        """Births and the initial state, less the deaths, are those alive at the end."""
        f, births, states, deaths = self.faults, 0, 0, 0
        for t in self.tasks.values():
            births += t.born is not None
            states += t.born is None
            deaths += t.exit is not None or t.became is not None
        alive = len(self.alive)
        f.check(births == self.counts["task_new"], "births", births)
        f.check(births + states - deaths == alive, "sum",
                "%d born, %d there before, %d dead, %d alive" % (births, states, deaths, alive))
        final = [s for s in self.snapshots.values() if s[0]["purpose"] == FINAL]
        if f.check(len(final) == 1 and final[0][1] is not None, "no final snapshot"):
            self.counts["in_final_snapshot"] = len(final[0][2])
        for name, n in (("births", births), ("before", states), ("deaths", deaths),
                        ("alive", alive)):
            print(name, n)

    def check_forest(self):
        """Parents and creators were born before: no task is its own ancestor."""
        f, depth, deepest = self.faults, {}, 0
        for t in self.tasks.values():
            path, at = [], t
            while at is not None and at.id not in depth:
                if at in path:
                    f.add("cycle", t)
                    break
                path.append(at)
                up = at.creator if at.born is not None else at.parent
                at = self.tasks.get(up) if up else None
            base = depth[at.id] if at is not None and at.id in depth else 0
            for n, one in enumerate(reversed(path), 1):
                depth[one.id] = base + n
            deepest = max(deepest, depth.get(t.id, 0))
        print("deepest", deepest)

    def check_releases(self, slack):
        """Counts tasks that died more than slack ns before the end and are not released."""
        missing = 0
        for t in self.tasks.values():
            if t.exit is None or t.released is not None or self.end_time - t.exit < slack:
                continue
            missing += 1
        print("dead_and_not_released", missing)
        return missing

    def initial_ns(self):
        for ns, said in self.namespaces.items():
            if said[0]["level"] == 0:
                return ns
        raise SystemExit("the trace does not say which is the initial namespace")

    def holders(self):
        """
        For each number of each namespace, its holders in order of birth:
        {(ns, nr): [Task]}
        """
        held, root = {}, self.initial_ns()
        order = sorted((t for t in self.tasks.values() if t.born is not None or t.ns is not None),
                       key=lambda t: (t.order is not None, t.order or t.seen))
        for t in order:
            numbers = {(root, t.id[0])} | {(ns, nr) for ns, nr, _ in t.numbers}
            if t.ns is not None:
                numbers.add((t.ns, t.nr))
            for number in numbers:
                held.setdefault(number, []).append(t)
        return held

    def check_reuse(self, only=None):
        """number_reused against the births alone, one by one."""
        f, expected = self.faults, {}
        for (ns, nr), tasks in self.holders().items():
            if only is not None and ns not in only:
                continue
            for n, (old, new) in enumerate(zip(tasks, tasks[1:]), 2):
                # Dead and replaced before the walk could write it down.
                if old.born is None and new.born is not None and old.seen > new.born:
                    self.counts["holders_seen_late"] += 1
                    continue
                expected[ns, nr, new.id] = (old, new, n)
        matched = 0
        for e in self.reused:
            if only is not None and e["ns"] not in only:
                continue
            key = (e["ns"], e["nr"], (e["tid"], e["start"]))
            if key not in expected:
                f.add("false reuse", e)
                continue
            old, new, n = expected.pop(key)
            matched += 1
            f.check((e["old_tid"], e["old_start"]) == old.id, "reuse of another one",
                    "%s, was held by %s" % (e, old))
            f.check(e["holders"] == n, "number of holders", "%s, not %d" % (e, n))
            self.check_death(e, old)
        for old, new, n in expected.values():
            f.add("reuse not reported", "%s after %s" % (new, old))
        print("reuses", matched)
        return matched

    def check_death(self, e, old):
        """old_death is when the old holder exited, or became something else."""
        f = self.faults
        if e["old_death"] == 0:
            f.check(old.exit is None, "death of an old holder not reported", "%s: %s" % (e, old))
            return
        at = old.exit if old.exit is not None else old.became[0] if old.became else None
        if at is None:
            f.add("an old holder that lives", "%s: %s" % (e, old))
            return
        # The module notes the death before it writes the event, which may take long on a
        # CPU of a guest; but after all that the task did before.
        last = max([old.born or 0] + [at for at, _ in (old.names or []) + (old.execs or [])])
        f.check(last - SLACK <= e["old_death"] <= at + SLACK, "another time of death",
                "%s: not from %d to %d" % (e, last, at))
        if old.exit is not None:
            self.counts["worst_death_us"] = max(self.counts["worst_death_us"],
                                                abs(e["old_death"] - at) // 1000)

    def check_generations(self):
        """(number, generation) is one task; generations grow by one."""
        f, root, taken = self.faults, self.initial_ns(), {}
        for t in self.tasks.values():
            if t.born is None:
                continue
            for ns, nr, generation in ((root, t.id[0], t.generation), *t.numbers):
                other = taken.setdefault((ns, nr, generation), t)
                f.check(other is t, "two tasks of one generation",
                        "%d in %d: %s and %s" % (nr, ns, other, t))
        for ns, wraps in self.wraps.items():
            # Written on different CPUs under one lock: their times are in order.
            values = [w["generation"] for w in wraps]
            f.check(values == list(range(values[0], values[0] + len(values))),
                    "generations are no row", "namespace %d: %s" % (ns, values[:50]))
            f.check(all(w["why"] in (1, 2) for w in wraps), "why", ns)
            counted = [w["wraps"] for w in wraps]
            steps = [w["why"] == 1 for w in wraps]
            for before, after, step in zip(counted, counted[1:], steps[1:]):
                f.check(after - before == step, "count of wraps",
                        "namespace %d: %d, then %d" % (ns, before, after))


    def check_sight(self):
        """A task replaces one that was in sight only in a later generation."""
        f, root, checked = self.faults, self.initial_ns(), 0
        times = {ns: [w["time"] for w in wraps] for ns, wraps in self.wraps.items()}
        for (ns, nr), tasks in self.holders().items():
            wraps = self.wraps.get(ns)
            for old, new in zip(tasks, tasks[1:]):
                if old.exit is None or not wraps or new.born is None:
                    continue
                generation = new.generation if ns == root else next(
                    g for n, _, g in new.numbers if n == ns)
                n = bisect_right(times[ns], old.exit)
                then = wraps[n - 1]["generation"] if n else wraps[0]["generation"] - 1
                checked += 1
                f.check(generation > then, "replaced within a generation",
                        "%d in %d: %s died in %d, %s has %d" % (nr, ns, old, then, new,
                                                                generation))
        print("replacements", checked)


def joined_by_name(world, prefix):
    """
    {number in the name: Task} for names like s1f that tasks gave themselves; the
    first one is inherited. A name that two have is a fault.
    """
    found = {}
    for t in world.tasks.values():
        for _, name in (t.names or ())[1:]:
            if not re.fullmatch(prefix + "[0-9a-f]+", name):
                continue
            serial = int(name[len(prefix):], 16)
            if found.setdefault(serial, t) is not t:
                world.faults.add("one name for two tasks", "%s: %s, %s" %
                                 (name, found[serial], t))
            break
    return found
