#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: initial.py LIFETRACE TASK-AT DIR [--plant WHAT | --rule dump]

Compares each trace DIR/N.lt of a race with tools/racer with its log DIR/N.log: the
attributes of each of the racer's tasks at some moments must be such as the log
allows. The moments: right after the initial snapshot began, in its middle, when the
task itself was dumped, right after its end, in the middle of the trace, and at the
end of the final snapshot. Compared: whether the task is there, comm, oom_score_adj,
uid, gid, program and parent. The attributes come once from initial_trace.py ("own")
and once from the reader (tools/task-at).

oom_score_adj of two processes that share their memory changes without an event. There
the trace need not be right before the next dump: at the end it must have a value of
the time of the final snapshot. A value that the trace leaves open is no difference,
but counted.

--plant removes one record from the first trace that has one that matters: rename,
oom_score_adj, cred, exec, task_new, exit or state; differences are then wanted.
--rule dump lets dumped values outrank events. Both change initial_trace.py's
reconstruction only.

A trace in which events were lost proves nothing, and is left out.

Prints "key value" lines; exit status 1 when there are differences.
"""
import glob
import json
import os
import subprocess
import sys
from collections import Counter

import initial_log
import initial_trace
import ltfile
from common import print_counts

SHOWN = 12
TOLERANCE_NS = initial_log.TOLERANCE_NS
ATTR = {"comm": initial_log.COMM, "oom": initial_log.OOM, "uid": initial_log.UID,
        "gid": initial_log.GID, "file": initial_log.FILENAME}
NAME_OF = {"oom": "oom_score_adj"}
EVENT_OF = {"rename": "comm", "oom_score_adj": "oom", "cred": "uid", "exec": "file"}


def check_clocks(path):
    """Starts are in time since boot, the trace's as long as the guest never slept."""
    line = ltfile.Trace(path).text(ltfile.CLOCK).split("\n", 1)[0]
    words = dict(word.split("=") for word in line.split())
    if abs(int(words["boottime"]) - int(words["monotonic"])) > 1000000:
        raise SystemExit("%s: the clock is not that of starts" % path)


class Own:
    """What initial_trace finds."""

    name = "own"

    def __init__(self, tasks):
        self.tasks = tasks

    def exists(self, instance, moment):
        return instance.exists(moment)

    def value(self, instance, attr, moment):
        return self.tasks.value(instance, attr, moment)


class Reader:
    """What the reader's library finds."""

    name = "reader"

    def __init__(self, program, path, questions):
        text = "".join("%d %d %d\n" % (*key, moment) for key, moment in questions)
        done = subprocess.run([program, path], input=text, capture_output=True, text=True,
                              check=True)
        self.answers = dict(zip(questions, map(json.loads, done.stdout.splitlines()),
                                strict=True))

    def exists(self, instance, moment):
        return self.answers[instance.key, moment]["there"]

    def value(self, instance, attr, moment):
        value = self.answers[instance.key, moment][NAME_OF.get(attr, attr)]
        return tuple(value) if isinstance(value, list) else value


class Run:
    """One trace and its log."""

    def __init__(self, program, path, counts):
        self.path, self.planted = path, ()
        self.name, self.counts, self.shown = os.path.basename(path), counts, 0
        self.events = initial_trace.load(program, path)
        self.log = initial_log.Log(path[:-3] + ".log")
        check_clocks(path)
        self.build(None)

    def build(self, without):
        self.tasks = initial_trace.Tasks(self.events, without)
        first, last = self.tasks.snap(0), self.tasks.snap(2)
        begin, end = first["begin"], first["end"]
        self.moments = (begin + 1, (begin + end) // 2, end + 1, (end + last["begin"]) // 2,
                        last["end"])
        self.first, self.last = first, last
        self.match()

    def match(self):
        """Which task of the trace is which one of the log."""
        self.instance_of, self.serial_of = {}, {}
        for task in self.log.tasks.values():
            low = task.born[0] - TOLERANCE_NS
            high = min(task.born[1], task.dead[1]) + TOLERANCE_NS
            for start in self.tasks.by_tid.get(task.tid, ()):
                if low <= start <= high:
                    key = (task.tid, start)
                    self.instance_of[task.serial] = self.tasks.instances[key]
                    self.serial_of[key] = task.serial

    def differ(self, text, name="own"):
        self.counts[name + "_differences"] += 1
        self.shown += 1
        if self.shown <= SHOWN:
            print("DIFFERENT: %s: %s" % (self.name, text[:500]))

    def compare(self, task_at):
        counts = self.counts
        if self.log.full:
            self.differ("the racer's log was full")
        for text in self.tasks.sum_differs():
            self.differ(text)
        for key, instance in self.tasks.instances.items():
            if key not in self.serial_of and instance.creator in self.serial_of:
                self.differ("task %s, a child of one of ours, is not in the log" % (key,))
        self.compare_tasks(Own(self.tasks))
        if task_at:
            questions = [(self.instance_of[n].key, moment) for n in self.instance_of
                         for moment in self.moments_of(self.log.tasks[n])]
            self.compare_tasks(Reader(task_at, self.path, questions))
        for instance, attr, time in self.tasks.unannounced:
            serial = self.serial_of.get(instance.key)
            if serial is None:
                counts["changes_without_event_of_others"] += 1
            elif self.is_shared(self.log.tasks[serial]) and attr == "oom":
                counts["changes_without_event_of_the_pair"] += 1
            elif time > self.last["begin"] and attr in ATTR and self.log.under_way(
                    self.log.tasks[serial], ATTR[attr], time, self.last["end"]):
                counts["changes_cut_off_at_the_end"] += 1
            else:
                self.differ("task %d (%s): %s changed without an event" %
                            (serial, instance.key, attr))
        counts["runs"] += 1
        counts["tasks"] += len(self.instance_of)
        counts["states_in_initial_snapshots"] += len(self.first["states"])
        counts["events"] += len(self.events)
        counts["overruled"] += self.tasks.overruled
        counts["dumped_before_their_event"] += self.tasks.early
        counts["dumped_twice"] += self.first["records"] - len(self.first["states"])
        counts["snapshot_us"] += (self.first["end"] - self.first["begin"]) // 1000
        counts["events_in_snapshots"] += sum(
            self.first["begin"] < e["time"] < self.first["end"] and e["event"] != "state"
            for e in self.events)

    @staticmethod
    def is_shared(task):
        return task.kind == initial_log.SHARED

    def moments_of(self, task):
        instance = self.instance_of.get(task.serial)
        if instance and self.first["epoch"] in instance.snaps:
            return (*self.moments, *self.planted, instance.snaps[self.first["epoch"]][0] + 1)
        return (*self.moments, *self.planted)

    def compare_tasks(self, source):
        for task in self.log.tasks.values():
            instance = self.instance_of.get(task.serial)
            for moment in self.moments_of(task):
                alive = self.log.alive(task, moment)
                if alive == {False} and not instance:
                    continue
                self.counts[source.name + "_compared_existence"] += 1
                if instance:
                    exists = source.exists(instance, moment)
                else:
                    # It was in an exec when recording began, and has a number only.
                    exists = None if moment <= self.tasks.nameless.get(task.tid, 0) else False
                if exists is None:
                    self.counts[source.name + "_unknown_existence"] += 1
                elif exists not in alive:
                    self.differ("%s: task %d (tid %d) at %d: there: %s, the log says %s" % (
                        source.name, task.serial, task.tid, moment, exists, alive), source.name)
                elif exists:
                    for attr in initial_trace.ATTRS:
                        self.compare_value(source, task, instance, attr, moment)

    def compare_value(self, source, task, instance, attr, moment):
        value = source.value(instance, attr, moment)
        if attr == "parent":
            allowed = self.log.parents(task, moment)
            if allowed is None:
                return
            value = value and self.serial_of.get(value, value)
        else:
            since = self.last["begin"] if self.is_shared(task) else moment
            allowed = self.log.values(task, ATTR[attr], min(since, moment), moment)
        self.counts["%s_compared_%s" % (source.name, attr)] += 1
        self.counts[source.name + "_one_value_allowed"] += len(allowed) == 1
        if value is None:
            self.counts["%s_unknown_%s" % (source.name, attr)] += 1
        elif value not in allowed:
            if self.is_shared(task) and attr == "oom" and moment != self.last["end"]:
                self.counts[source.name + "_behind_of_the_pair"] += 1
            else:
                self.differ("%s: task %d (%s) at %d: %s is %r, the log allows %s" % (
                    source.name, task.serial, instance.key, moment, attr, value,
                    sorted(allowed, key=str)), source.name)

    # Records that matter.

    def find(self, what):
        """The index of a record without which something is different, or None."""
        if what in EVENT_OF:
            return self.find_event(EVENT_OF[what])
        begin, _, _, _, end = self.moments
        found = None
        for n, e in enumerate(self.events):
            key = (e.get("tid"), e.get("start"))
            if e["event"] != what or key not in self.serial_of:
                continue
            at_end = self.log.alive(self.log.tasks[self.serial_of[key]], end)
            if what == "state" and e["epoch"] == self.first["epoch"] and at_end == {True}:
                return n
            if key in self.first["states"] or not begin < e["time"] < self.last["begin"]:
                continue
            if what == "task_new":
                return n
            # That of a group's last task: another's may be undone by exec.
            if what == "exit" and at_end == {False} and e["group_dead"]:
                found = n
        return found

    def find_event(self, attr):
        """And a moment at which it matters, which is then looked at, too."""
        for serial, instance in self.instance_of.items():
            task, facts = self.log.tasks[serial], instance.facts[attr]
            for old, new, after in zip(facts, facts[1:], (*facts[2:], None)):
                moment = (new.time + (after.time if after else self.last["begin"])) // 2
                if new.dumped_since is not None or new.source or \
                        not self.moments[0] < moment < self.moments[-1] or \
                        self.log.alive(task, moment) != {True}:
                    continue
                allowed = self.log.values(task, ATTR[attr], moment, moment)
                if old.value not in allowed and new.value in allowed and \
                        not (after and after.value == old.value):
                    self.planted = (moment,)
                    return new.index
        return None


def dumps_outrank(tasks, instance, attr, facts):
    """The wrong rule: what is written later holds."""
    return facts


def main(program, task_at, directory, how=None, what=None):
    counts = Counter()
    if how == "--rule":
        initial_trace.Tasks.without_overruled = dumps_outrank
    for path in sorted(glob.glob(os.path.join(directory, "*.lt"))):
        run = Run(program, path, counts)
        if run.last["lost"]:
            counts["runs_with_loss"] += 1
            continue
        if how == "--plant":
            n = run.find(what)
            if n is None:
                continue
            print("without %s in %s" % (run.events[n], run.name))
            run.build(n)
        run.compare(None if how else task_at)
        if how == "--plant":
            break
    for name in ("own", "reader"):
        counts[name + "_attributes"] = sum(
            n for key, n in counts.items() if key.startswith(name + "_compared_"))
        counts[name + "_unknown"] = sum(
            n for key, n in counts.items() if key.startswith(name + "_unknown_"))
        counts[name + "_differences"] += 0
    print_counts(counts)
    differences = counts["own_differences"] + counts["reader_differences"]
    return 1 if differences or not counts["own_attributes"] else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
