# SPDX-License-Identifier: GPL-2.0
"""
Reconstructs the tasks at any moment of a trace from its events alone.

This shares nothing with the reader's own code. Times of start are taken to be on the
clock of the trace, see initial.py. Facts about an attribute are events, which hold the
value from there on (and some, the value before), and dumped values, of snapshots and
of exits. A dumped value was read at some time before its record was written; so an
event before the record outranks it.
"""
import bisect

from common import dump

PER_PROCESS = ("oom", "file")
ATTRS = ("comm", "oom", "uid", "gid", "file", "parent")
EXITING, IN_EXEC = 8, 16


class Fact:
    __slots__ = ("time", "index", "dumped_since", "old", "value", "source")

    def __init__(self, time, index, value, old=None, dumped_since=None, source=None):
        self.time, self.index, self.value, self.old = time, index, value, old
        self.dumped_since = dumped_since    # None: an event
        self.source = source                # (task, attribute) that it was inherited from


class Instance:
    def __init__(self, key):
        self.key, self.tgid = key, None
        self.born = self.died = self.creator = None
        self.last_exit = None       # also if it was undone
        self.group_died = None
        self.facts = {attr: [] for attr in ATTRS}
        self.settled = set()        # attributes
        self.snaps = {}             # epoch: (time, flags)
        self.left_behind = False    # exited before the trace began
        self.half_dead = False      # was on its way out then; where, is not known
        self.doubtful = False       # a thread may have taken its place
        self.taken_over = []        # windows in which a thread became the leader

    def exists(self, moment):
        """None: the trace does not show it."""
        if self.left_behind or moment < (self.key[1] if self.born is None else self.born):
            return False
        if self.half_dead:
            return None
        if self.died is None or moment < self.died:
            return True
        return None if self.doubtful else False


def load(program, path):
    """All events of the channel pid that the reconstruction uses."""
    return [e for e in dump(program, path) if hasattr(Tasks, "on_" + e["event"])]


class Tasks:
    def __init__(self, events, without=None):
        self.instances, self.by_tid, self.snaps = {}, {}, {}
        self.nameless = {}              # numbers of threads that execs name without a start
        self.exchanged = set()          # old leaders, which die with the number of a thread
        self.deaths = []                # (time, start) of process groups, for parents
        self.overruled = self.early = 0
        self.in_flight = 0              # numbers given, but not to a task yet, at the end
        self.unannounced = []           # (instance, attribute, time): changes without an event
        for index, e in enumerate(events):
            if index != without:
                getattr(self, "on_" + e["event"])(index, e)
        self.deaths.sort()
        for instance in self.instances.values():
            for attr in ATTRS:
                self.settle(instance, attr)

    def instance(self, tid, start):
        key = (tid, start)
        found = self.instances.get(key)
        if not found:
            found = self.instances[key] = Instance(key)
            bisect.insort(self.by_tid.setdefault(tid, []), start)
        return found

    def holder(self, tid, start):
        """The last task with that number that is not younger."""
        starts = self.by_tid.get(tid, ())
        n = bisect.bisect_right(starts, start)
        return self.instances[tid, starts[n - 1]] if n else None

    def leader(self, instance):
        tgid = instance.tgid
        if tgid is None or tgid == instance.key[0]:
            return instance
        return self.holder(tgid, instance.key[1])

    def add(self, instance, attr, fact):
        if attr in PER_PROCESS:
            instance = self.leader(instance)
        if instance:
            instance.facts[attr].append(fact)

    # One handler for each event.

    def on_pid_ns(self, index, e):
        if e["level"] == 0 and e["exact"]:
            self.in_flight = e["allocated"] - e["born"] - e["burned"]

    def on_task_new(self, index, e):
        new = self.instance(e["tid"], e["start"])
        new.tgid, new.born = e["tgid"], e["time"]
        new.creator = (e["creator"], e["creator_start"])
        time = e["time"]
        for attr, key in (("comm", "comm"), ("uid", "uid"), ("gid", "gid")):
            self.add(new, attr, Fact(time, index, e[key]))
        self.add(new, "parent", Fact(time, index, (e["parent"], e["parent_start"])))
        if new.tgid == new.key[0]:
            self.add(new, "oom", Fact(time, index, e["oom_score_adj"]))
            creator = self.instances.get(new.creator)
            if creator:
                self.add(new, "file", Fact(time, index, None, source=(creator, "file")))

    def on_state(self, index, e):
        task = self.instance(e["tid"], e["start"])
        since = self.snaps[e["epoch"]]["begin"]
        task.tgid = e["tgid"]
        if e["flags"] & EXITING and not task.snaps and task.born is None and task.died is None:
            # Unless its exit is still to come. Until then it is on a CPU, or wants one.
            task.left_behind = e["state"] in ("Z", "X")
            task.half_dead = not task.left_behind
        elif not e["flags"] & EXITING and task.left_behind:
            # A thread has taken its place since; the time follows with the event exec.
            task.left_behind, task.half_dead = False, True
        if not e["flags"] & EXITING and task.died is not None and task.died < since:
            task.died = task.group_died = None      # a thread has taken its place
        elif not e["flags"] & EXITING and task.died is not None and e["tid"] == e["tgid"]:
            task.doubtful = task.group_died is None
        task.snaps[e["epoch"]] = (e["time"], e["flags"])
        self.snaps[e["epoch"]]["states"].add(task.key)
        self.snaps[e["epoch"]]["records"] += 1
        for attr, value in (("comm", e["comm"]), ("uid", e["uid"]), ("gid", e["gid"]),
                            ("parent", (e["parent"], e["parent_start"])),
                            ("oom", e["oom_score_adj"]), ("file", e["file"])):
            # A task that exits has no memory any more, and so no program. The event exec
            # follows the change of name and program, or is not in the trace any more.
            if (attr != "file" or value) and \
                    not (attr in ("comm", "file") and e["flags"] & IN_EXEC):
                self.add(task, attr, Fact(e["time"], index, value, dumped_since=since))

    def on_rename(self, index, e):
        self.add(self.instance(e["tid"], e["start"]), "comm",
                 Fact(e["time"], index, e["comm"], e["old"]))

    def on_oom_score_adj(self, index, e):
        # The module knows no older value of a group that it has not met before.
        old = e["old"] if e["old"] != e["oom_score_adj"] else None
        self.instance(e["tgid"], e["start"]).facts["oom"].append(
            Fact(e["time"], index, e["oom_score_adj"], old))

    def on_cred(self, index, e):
        task = self.instance(e["tid"], e["start"])
        for attr in ("uid", "gid"):
            if e["old_" + attr] != e[attr]:
                self.add(task, attr, Fact(e["time"], index, e[attr], e["old_" + attr]))

    def on_exec(self, index, e):
        task = self.instance(e["tid"], e["start"])
        task.facts["file"].append(Fact(e["time"], index, e["file"]))
        if e["old_tid"] == e["tid"]:
            return
        self.exchanged.add((e["old_tid"], e["start"]))
        # The leader lives on in the thread, which has brought its user with it.
        if e["old_start"]:
            thread = self.instance(e["old_tid"], e["old_start"])
            thread.tgid = e["tid"]
        else:
            thread = self.holder(e["old_tid"], e["time"])
            self.nameless[e["old_tid"]] = e["time"]
        if task.last_exit is not None:
            task.taken_over.append((task.last_exit, e["time"]))
        task.died = task.group_died = None
        task.left_behind = task.half_dead = task.doubtful = False
        # Exec has renamed it under the leader's identity, before the event exec.
        name = max((f for f in task.facts["comm"] if f.dumped_since is None),
                   key=lambda f: f.index, default=None)
        if name:
            name.old = None
        if thread:
            alive = {time for time, flags in task.snaps.values() if not flags & EXITING}
            thread.died = e["time"]
            for attr in ("uid", "gid"):
                # What was dumped alive since its leader's exit is the thread's, see below.
                thread.facts[attr] += [f for f in task.facts[attr] if f.time in alive and
                                       task.last_exit is not None and task.last_exit < f.time]
                task.facts[attr].append(Fact(e["time"], index, None, source=(thread, attr)))

    def on_exit(self, index, e):
        task = self.instance(e["tid"], e["start"])
        task.tgid = e["tgid"]
        task.died = task.last_exit = e["time"]
        task.doubtful = False
        task.left_behind = task.half_dead = False
        if e["group_dead"]:
            leader = self.leader(task)
            if leader:
                leader.group_died = e["time"]
                self.deaths.append((e["time"], leader.key[1]))
        for attr, value in (("comm", e["comm"]), ("oom", e["oom_score_adj"]),
                            ("parent", (e["parent"], e["parent_start"]))):
            self.add(task, attr, Fact(e["time"], index, value, dumped_since=e["time"]))

    def on_snap_begin(self, index, e):
        self.snaps[e["epoch"]] = {"purpose": e["purpose"], "begin": e["time"], "end": None,
                                  "states": set(), "records": 0, "lost": e["lost"]}

    def on_snap_end(self, index, e):
        snap = self.snaps[e["epoch"]]
        snap["end"], snap["complete"], snap["tasks"] = e["time"], e["complete"], e["tasks"]
        snap["lost"] = e["lost"]

    # What the facts come to.

    def settle(self, instance, attr):
        """The facts that hold, each of them from its time on."""
        if attr in instance.settled:
            return instance.facts[attr]
        instance.settled.add(attr)
        facts = sorted(instance.facts[attr], key=lambda f: (f.time, f.index))
        for f in facts:
            if f.source:
                f.value = self.value(*f.source, f.time)
        facts = [f for f in facts if f.value is not None and not self.is_thread_value(instance, f)]
        if attr == "parent":
            facts = [f for f in facts if not self.is_stale_parent(f)]
        else:
            facts = self.without_overruled(instance, attr, self.without_early(facts))
        instance.facts[attr] = facts
        return facts

    def is_stale_parent(self, f):
        """Dumped when it had died, and its children were about to get another one."""
        parent = self.instances.get(f.value)
        return f.dumped_since is not None and parent and parent.group_died is not None and \
            parent.group_died < f.time

    @staticmethod
    def is_thread_value(instance, f):
        """Between the old leader's exit and exec it is the thread that is dumped."""
        return f.dumped_since is not None and \
            any(begin < f.time < end for begin, end in instance.taken_over)

    @staticmethod
    def is_of_unnamed_thread(instance, f):
        """A thread has taken its leader's number, and the trace ends before the event exec."""
        end = instance.last_exit
        return end is not None and instance.died is None and f.dumped_since is not None and \
            f.dumped_since > end and all(begin != end for begin, _ in instance.taken_over)

    def without_early(self, facts):
        """A value may be dumped when its event had happened, but was not written yet."""
        event, kept = None, []
        for f in reversed(facts):
            if f.dumped_since is None:
                event = f
            elif event and event.value == f.value and event.old != f.value:
                self.early += 1
                if event.old is None:
                    continue
                f.value = event.old
            kept.append(f)
        return kept[::-1]

    def without_overruled(self, instance, attr, facts):
        held, event = [], None
        for f in facts:
            if f.dumped_since is None:
                event = f
            elif held and f.value != held[-1].value:
                if event and (event.time >= f.dumped_since or event.old == f.value):
                    self.overruled += 1
                    continue
                if not self.is_of_unnamed_thread(instance, f):
                    self.unannounced.append((instance, attr, f.time))
            held.append(f)
        return held

    def value(self, instance, attr, moment):
        """What it was then; None: the trace does not have it."""
        if attr in PER_PROCESS:
            instance = self.leader(instance)
            if not instance:
                return None
        facts = self.settle(instance, attr)
        n = bisect.bisect_right(facts, moment, key=lambda f: f.time)
        if attr == "parent":
            return self.parent(instance, facts, n, moment)
        if n:
            return facts[n - 1].value
        if not facts or facts[0].dumped_since is None:
            return facts[0].old if facts else None
        return facts[0].value

    def parent(self, instance, facts, n, moment):
        """No event has a new parent; the end of the old one shows it."""
        before = facts[n - 1].value if n else None
        after = facts[n] if n < len(facts) else None
        if before is None:
            # The parent dumped later may be a second one already.
            first = bisect.bisect_left(self.deaths, (moment, 0))
            last = bisect.bisect_right(self.deaths, (after.time, 0)) if after else first
            orphaned = any(start <= instance.key[1] for _, start in self.deaths[first:last])
            return None if orphaned or not after else after.value
        old = self.instances.get(before)
        if not old or old.group_died is None or moment < old.group_died:
            return before
        return after.value if after else None

    def sum_differs(self):
        """Tasks for which initial snapshot + births - deaths is not the final one."""
        first, last = self.snap(0), self.snap(2)
        wrong, in_flight = [], self.in_flight
        for key, t in self.instances.items():
            there = key in first["states"] or t.born is not None
            final = key in last["states"]
            if final and not there and in_flight and key[1] > first["begin"]:
                in_flight -= 1          # its birth was under way when watching ended
            elif final and not there and key in self.exchanged:
                pass                    # an exec has yet to release it
            elif final and not there:
                wrong.append("%d (start %d) is in the final snapshot, but was neither in the "
                             "initial one nor born" % key)
            elif there and not final and t.died is None and not t.left_behind and \
                    not t.half_dead and \
                    not (t.born is not None and t.born >= last["begin"]) and \
                    not self.is_becoming_leader(t, last):
                wrong.append("%d (start %d) is not in the final snapshot, but has not exited" % key)
            elif final and t.died is not None and t.died < last["begin"] and \
                    not t.snaps[last["epoch"]][1] & EXITING:
                wrong.append("%d (start %d) is in the final snapshot as alive, but has exited" %
                             key)
            elif not there and first["begin"] < key[1] < last["end"]:
                wrong.append("%d (start %d) was not born" % key)
        for snap in (first, last):
            if snap["tasks"] != snap["records"] or not snap["complete"]:
                wrong.append("a snapshot of %d tasks, complete %d, with %d records" % (
                    snap["tasks"], snap["complete"], snap["records"]))
        return wrong

    def is_becoming_leader(self, thread, snap):
        """By an exec whose event came after the end: the leader has exited, and is there."""
        leader = self.leader(thread)
        if not leader or leader is thread or snap["epoch"] not in leader.snaps:
            return False
        if any(t is not thread and t.key != leader.key and t.tgid == leader.key[0] and
               self.leader(t) is leader and (t.died is None or t.died > snap["end"]) and
               not t.left_behind and not t.half_dead for t in self.instances.values()):
            return False                # exec would have killed it before
        # The snapshot came to the leader before the exchange, and to the thread after it.
        if leader.died is not None and leader.group_died is None and \
                leader.died <= snap["end"] and thread.key[0] > leader.key[0]:
            return True
        since = leader.taken_over[-1][1] if leader.taken_over else 0
        time, flags = leader.snaps[snap["epoch"]]
        dead = [at for at, was in leader.snaps.values() if was & EXITING and since < at]
        if leader.last_exit is not None and since < leader.last_exit:
            dead.append(leader.last_exit)
        return not flags & EXITING and any(at < time for at in dead)

    def snap(self, purpose):
        """The snapshot with that purpose."""
        for epoch, snap in self.snaps.items():
            if snap["purpose"] == purpose and snap["end"]:
                return {**snap, "epoch": epoch}
        raise SystemExit("the trace has no whole snapshot with purpose %d" % purpose)
