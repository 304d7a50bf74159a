# SPDX-License-Identifier: GPL-2.0
"""
Reads the log of tools/racer: which values an attribute can have had at a moment.

Of each change it is known before which moment it had not begun and after which
it was done. At a moment a value is possible if the change to it had begun, and
no other change was made as a whole after it and before the moment. Where no
change was under way, that is one value.
"""
import bisect

COMM, OOM, UID, GID, FILENAME, EXEC, OOM_SHARED = range(7)
PENDING, DONE, FAILED = range(3)
PROCESS, THREAD, SHARED = range(3)
NEVER = 1 << 62
TOLERANCE_NS = 2000         # between the clock of the trace and that of a program
LONG_NS = 20000000          # changes that take longer are looked at each time


class Task:
    def __init__(self, words):
        (self.serial, self.tid, self.process, self.creator, self.parent, self.kind,
         *times) = map(int, words)
        self.born, self.exit, self.gone = ((a or NEVER, b or NEVER) for a, b in
                                           (times[0:2], times[2:4], times[4:6]))
        self.dead = None        # window of the end
        self.undone = []        # windows in which the leader may or may not have been there


class Write:
    """A change to one of some values; TRANSIENT: it was overwritten at once."""

    def __init__(self, before, after, values, done=True, transient=False):
        self.before, self.after, self.values = before, after, values
        self.done, self.transient = done, transient


class History:
    """All changes of one attribute of one task."""

    def __init__(self):
        self.writes, self.long, self.sorted = [], [], False

    def add(self, write):
        self.writes.append(write)
        self.sorted = False

    def possible(self, first, last):
        """The values that it can have had at moments from first to last."""
        if not self.sorted:
            self.writes.sort(key=lambda w: w.before)
            self.long = [w for w in self.writes if w.after - w.before > LONG_NS]
            self.starts = [w.before for w in self.writes]
            self.sorted = True
        values, floor = set(), 0
        n = bisect.bisect_right(self.starts, last + TOLERANCE_NS)
        near = []
        while n and self.starts[n - 1] + LONG_NS >= floor:
            n -= 1
            w = self.writes[n]
            near.append(w)
            if w.done and not w.transient and w.after + TOLERANCE_NS < first:
                floor = max(floor, w.before)
        for w in near + self.long:
            if w.before > last + TOLERANCE_NS or w.after < floor:
                continue
            if not w.transient or w.after + TOLERANCE_NS >= first:
                values |= w.values() if callable(w.values) else w.values
        return values


class Log:
    def __init__(self, path):
        self.links, self.tasks, self.changes, self.full = [], {}, [], True
        with open(path, encoding="ascii") as f:
            for line in f:
                word, *rest = line.rstrip("\n").split(" ")
                if word == "link":
                    self.links.append(rest[1])
                elif word == "task":
                    task = Task(rest)
                    self.tasks[task.serial] = task
                elif word == "change":
                    self.changes.append([*map(int, rest[:7]), rest[7]])
                elif word == "full":
                    self.full = rest[0] != "0"
        # What the kernel gave no number was never made.
        self.tasks = {n: t for n, t in self.tasks.items() if t.tid}
        self.execs = {}
        for c in self.changes:
            if c[2] == EXEC and c[5] != FAILED:
                self.execs.setdefault(c[0], []).append((c[3], c[4] or NEVER, c[1], c[5] == DONE))
        for task in self.tasks.values():
            self.find_end(task)
        self.histories = {}
        for task in self.tasks.values():
            self.add_birth(task)
        for c in self.changes:
            if c[5] != FAILED:
                self.add_change(*c)

    def find_end(self, task):
        """When it ended: not before dead[0], and it was over at dead[1]."""
        process = self.tasks[task.process]
        execs = self.execs.get(task.process, ())
        if task is process:
            task.dead = process.gone
            # Its task ends some time before the thread has taken its place.
            task.undone = [(e[0], e[1]) for e in execs if e[2] != task.serial]
            if task.exit[0] != NEVER:
                # Alone, before its threads: for good, if none of them took its place.
                later = [e for e in execs if e[0] > task.exit[0]]
                if later:
                    task.undone.append((task.exit[0], later[0][1]))
                    if not later[0][3]:
                        task.dead = (task.exit[0], task.dead[1])
                else:
                    task.dead = (task.exit[0], min(task.exit[1], task.dead[1]))
        else:
            ends = [task.exit, process.gone]
            for before, after, _, done in execs:
                if after > task.born[0]:
                    ends.append((before, after if done else NEVER))
            task.dead = (min(e[0] for e in ends), min(e[1] for e in ends))

    def history(self, serial, attr):
        return self.histories.setdefault((serial, attr), History())

    def add_birth(self, task):
        """A new task has what its creator had."""
        if task.creator < 0:
            return
        born, creator = task.born, self.tasks[task.creator]
        after = min(born[1], creator.dead[1])
        attrs = [(COMM, creator), (UID, creator), (GID, creator)]
        if task.kind != THREAD:
            process = self.tasks[creator.process]
            attrs += [(OOM, process), (FILENAME, process)]
        for attr, source in attrs:
            self.history(task.serial, attr).add(
                Write(born[0], after, self.later(source, attr, born[0], after)))

    def later(self, task, attr, first, last):
        """The values of another history, to be asked when all of it is known."""
        found = []

        def values():
            if not found:
                found.append(self.history(task.serial, attr).possible(first, last))
            return found[0]
        return values

    def add_change(self, serial, by, attr, before, after, status, value, text):
        done = status == DONE
        if not done:
            # The task that was about to do it did not after its own end.
            after = self.tasks[by].dead[1]
        if attr == EXEC:
            name = self.links[value].rsplit("/", 1)[1].encode()[:15].decode()
            self.history(serial, FILENAME).add(Write(before, after, {self.links[value]}, done))
            if by != serial:
                thread = self.tasks[by]
                for other in (COMM, UID, GID):
                    self.history(serial, other).add(
                        Write(before, after, self.later(thread, other, before, after), done,
                              other == COMM))
            self.history(serial, COMM).add(Write(before, after, {name}, done))
            return
        value = text if attr == COMM else self.links[value] if attr == FILENAME else value
        attr = OOM if attr == OOM_SHARED else attr
        self.history(serial, attr).add(Write(before, after, {value}, done))

    def alive(self, task, moment):
        """Whether it can have been there: a set of True and False."""
        if moment < task.born[0] - TOLERANCE_NS or moment > task.dead[1] + TOLERANCE_NS:
            return {False}
        for window in (task.born, task.dead, *task.undone):
            if window[0] - TOLERANCE_NS <= moment <= window[1] + TOLERANCE_NS:
                return {True, False}
        return {True}

    def parents(self, task, moment):
        """Serials of processes. Orphans are the first process's."""
        parent = self.tasks.get(self.tasks[task.process].parent)
        if not parent:
            return None
        if moment < parent.gone[0] - TOLERANCE_NS:
            return {parent.serial}
        return {0} if moment > parent.gone[1] + TOLERANCE_NS else {parent.serial, 0}

    def values(self, task, attr, first, last):
        serial = task.process if attr in (OOM, FILENAME) else task.serial
        return self.history(serial, attr).possible(first, last)

    def under_way(self, task, attr, first, last):
        """Whether a change had begun at one time and need not have been over at another."""
        serial = task.process if attr in (OOM, FILENAME) else task.serial
        return any(w.before - TOLERANCE_NS <= first and last <= w.after + TOLERANCE_NS
                   for w in self.history(serial, attr).writes)
