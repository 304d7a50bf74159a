# SPDX-License-Identifier: GPL-2.0
"""What a Perfetto file contains, by its description or as trace_processor reads it.

read_raw() and read_processor() return the same struct File; figures are compared by check.py.
"""
import collections
import json
import os
import re
import subprocess

MEMORY, LONGEST = "Memory of the kernel", "Longest lifetimes"
CALLS, REQUESTS = "System calls", "Requests of io_uring"
FUNCTIONS, OTHERS = "Function calls", "Function calls in interrupts, and of other threads"


class File:
    """
    counters: [(name, [(time, value)])]
    heap: {time: {path: (births, bytes)}}, of which ends are negative ones, as pairs of both
    slices: [(cache, name, time, duration or None, notes)]
    tasks: [(pid of the process, its name and start, tid, name, time, duration or None, notes)]
    markers: [(time, text)]; gaps: [(time, duration)]; about: text; errors: [text]
    """

    def __init__(self):
        self.counters, self.heap, self.slices, self.tasks = [], {}, [], []
        self.markers, self.gaps, self.about, self.errors = [], [], "", []
        # tid, name, begin, duration or None, notes
        self.calls, self.requests = [], []
        # Of function calls the tid or the name of the track, name, begin, duration or None, notes
        self.functions = []

    def alive(self, until=1 << 63):
        """By path: objects and bytes alive at a time."""
        table = collections.defaultdict(lambda: (0, 0))
        for time, rows in self.heap.items():
            for path, (births, bytes_, ends, freed) in rows.items() if time <= until else ():
                n, size = table[path]
                table[path] = n + births - ends, size + bytes_ - freed
        return table

    def births(self):
        table = collections.defaultdict(lambda: (0, 0))
        for rows in self.heap.values():
            for path, (births, bytes_, _, _) in rows.items():
                n, size = table[path]
                table[path] = n + births, size + bytes_
        return table


# ---------------------------------------------------------------------------------------------
# By the description of the format


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """A message: {field: [values]}."""
    table, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data)
        else:
            assert tag & 7 == 0
        table[tag >> 3].append(value)
    return table


def first(message, field, default=None):
    return message[field][0] if field in message else default


def text(message, field):
    return message[field][0].decode("utf-8") if field in message else None


class Raw:
    """The packets of a file, in order."""

    def __init__(self, path):
        self.file, self.tracks, self.children, self.open = File(), {}, set(), collections.defaultdict(list)
        self.points, self.strings, self.frames, self.stacks = collections.defaultdict(list), {}, {}, {}
        self.mappings, self.samples, self.holders, self.index = {}, {}, {}, 0
        self.nested = collections.defaultdict(list)
        with open(path, "rb") as file:
            data = file.read()
        at, n = 0, 0
        while at < len(data):
            assert data[at] == 10
            length, at = varint(data, at + 1)
            self.packet(fields(data[at:at + length]), n)
            at, n = at + length, n + 1
        assert at == len(data)

    def packet(self, p, n):
        assert first(p, 10) == (2 if 60 in p else 1) and first(p, 13) == (None if 60 in p else 1 if n == 0 else 2)
        if n == 0:
            clocks = {first(c, 1): first(c, 2) for c in map(fields, first_message(p, 6)[1])}
            assert {3, 4, 6} <= set(clocks) and clocks[3] == clocks[4] == clocks[6]
        elif 60 in p:
            self.track(fields(p[60][0]))
        elif 11 in p:
            self.event(fields(p[11][0]), first(p, 8))
        elif 12 in p:
            self.interned(fields(p[12][0]))
        else:
            self.profile(fields(p[37][0]), first(p, 8))

    def track(self, t):
        uuid, parent = first(t, 1), first(t, 5)
        assert uuid and uuid not in self.tracks
        track = {"name": text(t, 2), "parent": parent, "about": text(t, 14), "counter": 8 in t}
        if 3 in t:
            p = fields(t[3][0])
            track["process"] = first(p, 1), text(p, 6), first(p, 7, 0)
            # The reader gives a thread to the latest holder of the number.
            self.holders[first(p, 1)] = uuid
        if 4 in t:
            p = fields(t[4][0])
            track["thread"] = first(p, 1), first(p, 2), text(p, 5)
            track["holder"] = self.holders[first(p, 1)]
        self.tracks[uuid] = track

    def event(self, e, time):
        kind, uuid = first(e, 9), first(e, 11)
        if kind == 4:
            assert self.tracks[uuid]["counter"]
            points = self.points[uuid]
            assert not points or points[-1][0] <= time
            points.append((time, first(e, 30)))
            return
        notes = {text(n, 10): text(n, 6) if 6 in n else first(n, 3) for n in map(fields, e[4])}
        events = self.open[uuid]
        if self.is_functions(uuid):
            self.nested[uuid].append((time, kind, text(e, 23), notes))
            return
        if self.tracks.get(uuid, {}).get("name") == CALLS:
            # Those of a handler lie within another one, and come first. Each is written at once.
            if kind == 2:
                assert events[-1][3] is None and events[-1][0] <= time
                events[-1][3] = time - events[-1][0]
            else:
                events.append([time, text(e, 23), notes, None])
            return
        if kind == 2:
            assert events[-1][3] is None and events[-1][0] <= time
            events[-1][3] = time - events[-1][0]
        else:
            # Slices lie one behind the other: none is open, and none ended later than this begins.
            assert not events or kind == 3 or (events[-1][3] is not None and sum(events[-1][::3]) <= time)
            events.append([time, text(e, 23), notes, None if kind == 1 else 0])

    def nest(self):
        """Slices within slices, in the order of time; of one time, as they stand in the file."""
        for uuid, events in self.nested.items():
            inner = []
            for time, kind, name, notes in sorted(events, key=lambda event: event[0]):
                if kind == 2:
                    slice_ = inner.pop()
                    slice_[3] = time - slice_[0]
                else:
                    inner.append([time, name, notes, None])
                    self.open[uuid].append(inner[-1])

    def is_functions(self, uuid):
        track = self.tracks.get(uuid) or {"name": None, "parent": None}
        return track["name"] == FUNCTIONS or self.tracks.get(track["parent"], {"name": None})["name"] == OTHERS

    def interned(self, table):
        for field in (5, 17):
            for message in map(fields, table[field]):
                assert (field, first(message, 1)) not in self.strings
                self.strings[field, first(message, 1)] = text(message, 2)
        for message in map(fields, table[19]):
            self.mappings[first(message, 1)] = self.strings[17, first(message, 7)]
        for message in map(fields, table[6]):
            assert first(message, 3) in self.mappings
            self.frames[first(message, 1)] = self.strings[5, first(message, 2)], first(message, 4)
        for message in map(fields, table[7]):
            path = tuple(self.frames[n] for n in message[2])
            assert path not in self.stacks.values()
            self.stacks[first(message, 1)] = path

    def profile(self, p, time):
        assert first(p, 7) == self.index
        self.index += 1
        (process,) = map(fields, p[5])
        assert first(process, 1) == 0 and first(process, 9) == time
        rows = self.file.heap.setdefault(time, {})
        for s in map(fields, process[2]):
            now = tuple(first(s, field, 0) for field in (5, 2, 6, 3))
            then = self.samples.get(first(s, 1), (0,) * 4)
            assert all(a >= b for a, b in zip(now, then)) and now != then
            path = tuple(name for name, _ in self.stacks[first(s, 1)])
            rows[path] = tuple(a + b - c for a, b, c in zip(rows.get(path, (0,) * 4), now, then))
            self.samples[first(s, 1)] = now

    def finish(self):
        self.nest()
        names = {track["name"]: uuid for uuid, track in self.tracks.items()}
        for uuid, track in self.tracks.items():
            assert not track["parent"] or track["parent"] in self.tracks
            if track["counter"]:
                self.file.counters.append((track["name"], self.points.pop(uuid)))
            if "thread" in track:
                pid, tid, name = track["thread"]
                process = self.tracks[track["holder"]]["process"]
                ((time, _, notes, duration),) = self.open[uuid]
                self.file.tasks.append((pid, *process[1:], tid, name, time, duration, notes))
            if "process" in track and track["process"][0] == 0:
                self.file.about = track["about"]
        for uuid, events in self.open.items():
            track = self.tracks.get(uuid) or {"parent": None, "name": None}
            above = self.tracks.get(track["parent"], {"parent": None})
            if above["parent"] and above["parent"] == names.get(LONGEST):
                self.file.slices += [(above["name"], name, time, duration, notes)
                                     for time, name, notes, duration in events]
            elif track["name"] in (CALLS, REQUESTS):
                rows = self.file.calls if track["name"] == CALLS else self.file.requests
                rows += [(above["thread"][1], name, time, duration, notes) for time, name, notes, duration in events]
            elif self.is_functions(uuid):
                self.file.functions += [(above["thread"][1] if "thread" in above else track["name"], name, time,
                                         duration, notes) for time, name, notes, duration in events]
            elif track["name"] == "Markers":
                self.file.markers += [(time, name) for time, name, _, _ in events]
            elif track["parent"] and track["parent"] == names.get("Events lost"):
                self.file.gaps += [(time, duration) for time, _, _, duration in events]
        assert not self.points
        return self.file


def first_message(p, field):
    return fields(p[field][0])


def read_raw(path):
    return Raw(path).finish()


# ---------------------------------------------------------------------------------------------
# By trace_processor

CALLS_QUERY = "SELECT s.id, t.tid, s.name, s.ts, s.dur FROM slice s JOIN thread_track k ON k.id = s.track_id " \
              "JOIN thread t USING (utid) WHERE k.name = "
QUERIES = {
    "errors": "SELECT name, value FROM stats WHERE value > 0 AND severity != 'info'",
    "counters": "SELECT t.id, t.name, c.ts, CAST(c.value AS INT) FROM counter c JOIN counter_track t "
                "ON t.id = c.track_id ORDER BY c.id",
    "heap": "SELECT ts, callsite_id, count, size FROM heap_profile_allocation WHERE upid = "
            "(SELECT upid FROM process WHERE pid = 0)",
    "callsites": "SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c JOIN stack_profile_frame f "
                 "ON f.id = c.frame_id",
    "tracks": "SELECT t.id, t.parent_id, t.name, (SELECT display_value FROM args WHERE arg_set_id = "
              "t.source_arg_set_id AND key = 'description') FROM track t",
    "slices": "SELECT s.id, s.track_id, s.name, s.ts, s.dur FROM slice s ORDER BY s.id",
    "args": "SELECT s.id, a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) "
            "WHERE a.key GLOB 'debug.*'",
    "tasks": "SELECT s.id, p.pid, p.name, p.start_ts, t.tid, t.name, s.ts, s.dur FROM slice s JOIN thread_track k "
             "ON k.id = s.track_id JOIN thread t USING (utid) JOIN process p USING (upid) "
             f"WHERE coalesce(k.name, '') NOT IN ('{CALLS}', '{REQUESTS}', '{FUNCTIONS}')",
    "calls": CALLS_QUERY + f"'{CALLS}'",
    "requests": CALLS_QUERY + f"'{REQUESTS}'",
    "functions": CALLS_QUERY + f"'{FUNCTIONS}'",
}


def read_processor(path, folder):
    done = subprocess.run(["node", os.path.join(os.path.dirname(__file__), "traceprocessor.mjs"), folder, path],
                          input=json.dumps(list(QUERIES.values())).encode(), capture_output=True, check=True)
    result = dict(zip(QUERIES, json.loads(done.stdout)))
    file = File()
    file.errors = result["errors"]
    points = collections.defaultdict(list)
    for number, name, time, value in result["counters"]:
        points[number, name].append((time, value))
    file.counters = [(name, rows) for (_, name), rows in points.items()]
    callsites = {number: (parent, name) for number, parent, name in result["callsites"]}

    def path_of(number):
        names = ()
        while number is not None:
            number, name = callsites[number]
            names = (name,) + names
        return names

    for time, callsite, count, size in result["heap"]:
        rows = file.heap.setdefault(time, {})
        add = (count, size, 0, 0) if count > 0 or (count == 0 and size > 0) else (0, 0, -count, -size)
        key = path_of(callsite)
        rows[key] = tuple(a + b for a, b in zip(rows.get(key, (0,) * 4), add))
    notes = collections.defaultdict(dict)
    for number, key, value in result["args"]:
        notes[number][key[len("debug."):]] = int(value) if re.fullmatch(r"\d+", value) else value
    tracks = {number: (parent, name, about) for number, parent, name, about in result["tracks"]}
    of_tasks = {row[0] for row in result["tasks"]}
    for number, pid, process, start, tid, name, time, duration in result["tasks"]:
        file.tasks.append((pid, process, start or 0, tid, name, time, None if duration < 0 else duration, notes[number]))
    for kind, rows in (("calls", file.calls), ("requests", file.requests), ("functions", file.functions)):
        for number, tid, name, time, duration in result[kind]:
            rows.append((tid, name, time, None if duration < 0 else duration, notes[number]))
        of_tasks |= {row[0] for row in result[kind]}
    for number, track, name, time, duration in result["slices"]:
        names = []
        while track is not None:
            track, title, _ = tracks[track]
            names.append(title)
        if LONGEST in names:
            cache = names[names.index(LONGEST) - 1]
            file.slices.append((cache, name, time, None if duration < 0 else duration, notes[number]))
        elif names[-1] == OTHERS:
            file.functions.append((names[0], name, time, None if duration < 0 else duration, notes[number]))
        elif names[-1] == "Markers":
            file.markers.append((time, name))
        elif names[-1] == "Events lost":
            file.gaps.append((time, duration))
        else:
            assert number in of_tasks or name == "About this trace" or "not known" in names[-1], (name, names)
    file.about = next(about for _, name, about in tracks.values() if about and "How sure" in about)
    return file
