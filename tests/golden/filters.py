#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: filters.py TOOL TRACE...

Filters, against a filter over the unfiltered output that knows the manual pages only:
`lifetimes --json FILTER` prints the rows that the filter here keeps, `dump --json FILTER`
the events, and `report --csv FILTER` has the sums of these rows. The filters are made from
what occurs in the trace. Prints what differs; the last line is "N passed, N failed"."""
import collections
import csv
import io
import json
import random
import re
import subprocess
import sys

TOOL = sys.argv[1]
EVENTS_WITH_SIZE = ("kmem_cache_alloc", "kmem_cache_alloc_node", "bulk_alloc")


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=False)


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


def function(site):
    """The symbol without its offset, as --site sees it."""
    return re.sub(r"\+0x[0-9a-f]+", "", site) if site else None


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


class Trace:
    def __init__(self, path):
        self.path = path
        self.lives = rows(run("lifetimes", "--json", path).stdout)
        self.events = rows(run("dump", "--json", path).stdout)
        info = json.loads(run("info", "--json", path).stdout)
        self.begin = info["begin_ns"]
        self.clock = info["clock_begin_ns"]
        self.end = max(life["birth_ns"] + life["lifetime_ns"] for life in self.lives
                       if life["certainty"] == "open")
        self.tasks = {(task["tid"], task["start_ns"]): task for task in rows(run("tasks", "--json", path).stdout)
                      if "tid" in task}
        sizes = {}
        for event, line in zip(self.events, run("dump", path).stdout.splitlines()):
            found = re.search(r" call_site=(.*?)(?: [a-z_]+=|$)", line)
            event["where"] = function(found[1]) if found and found[1] != "?" else None
            if event["event"] == "cache":
                sizes[event["cache"]] = event["object_size"]
            event["asked"] = event.get("bytes_req", 0) if event["event"] == "kmalloc" else 0
            if event["event"] in EVENTS_WITH_SIZE:
                event["asked"] = sizes.get(event["cache"], 0)
            elif event["event"] == "page_alloc":
                event["asked"] = 4096 << event["order"]

    def moment(self, text):
        if text.startswith("@"):
            return round(float(text[1:]) * 1e9) - self.clock
        if text.startswith("-"):
            return self.end - round(float(text[1:-1]) * 1e9)
        return self.begin + round(float(text) * 1e9)

    def window(self, f, time):
        return ("from" not in f or time >= self.moment(f["from"])) and \
            ("to" not in f or time < self.moment(f["to"]))

    def is_below(self, root, tid, start):
        """Whether a task, its leader, or one that it descends from has this name, program or number."""
        while (tid, start) in self.tasks:
            task = self.tasks[tid, start]
            if root in (str(tid), task.get("comm")) or root in ((task.get("file") or "").split("/")[-1], task.get("file")):
                return True
            up = "leader" if task["kind"] == "thread" else "parent"
            tid, start = task.get(f"{up}_tid"), task.get(f"{up}_start_ns")
        return False

    def keeps(self, f, life):
        if "cache" in f and life["cache"] != f["cache"]:
            return False
        if "certainty" in f and life["certainty"] not in f["certainty"].split(","):
            return False
        if life["birth_ns"] is None:
            return not set(f) - {"cache", "certainty"}
        return not (
            "site" in f and f["site"] not in (function(life["birth_site"]) or "")
            or "task" in f and not (life["birth_ctx"] == "task" and
                                    is_task(f["task"], life["birth_tid"],
                                            life["birth_task_start_ns"], life["birth_comm"]))
            or "root" in f and not (life["birth_ctx"] == "task" and
                                    self.is_below(f["root"], life["birth_tid"], life["birth_task_start_ns"]))
            or "cpu" in f and life["birth_cpu"] not in cpus(f["cpu"])
            or "size" in f and not in_size(f["size"], life["bytes_req"] or 0)
            or "older" in f and life["lifetime_ns"] < duration(f["older"])
            or not self.window(f, life["birth_ns"]))

    def keeps_event(self, f, event):
        name = event.get("cache_name", event.get("name") if event["event"] == "cache" else None)
        task = event.get("task_start", event.get("start"))
        return not (
            "cache" in f and name != f["cache"]
            or "site" in f and f["site"] not in (event["where"] or "")
            or "task" in f and not (("task_start" not in event or event["context"] == "task") and
                                    "tid" in event and is_task(f["task"], event["tid"], task,
                                                               event.get("comm")))
            or "root" in f and not (("task_start" not in event or event["context"] == "task") and
                                    "tid" in event and self.is_below(f["root"], event["tid"], task))
            or "cpu" in f and event["cpu"] not in cpus(f["cpu"])
            or "size" in f and not (event["asked"] and in_size(f["size"], event["asked"]))
            or not self.window(f, event["time"]))


def is_task(text, tid, start, comm):
    if not re.fullmatch(r"\d+(@\d+)?", text):
        return comm == text
    want, _, at = text.partition("@")
    return tid == int(want) and (not at or start == int(at))


def cpus(text):
    numbers = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def in_size(text, size):
    if ".." not in text:
        return size == number(text)
    low, high = text.split("..")
    return (not low or size >= number(low)) and (not high or size <= number(high))


def number(text):
    return int(text[:-1]) * 1024 if text.endswith("K") else int(text)


def duration(text):
    return int(text[:-2]) * {"us": 10**3, "ms": 10**6, "ns": 1}[text[-2:]]


def choices(trace, rng):
    """For each option a value that occurs in the trace, or near one that does."""
    born = [life for life in trace.lives if life["birth_ns"] is not None]
    life = rng.choice(born)
    times = sorted(rng.sample(range(trace.begin + 1, trace.end), 2))
    size = life["bytes_req"] or 64
    number_of_task = str(life["birth_tid"])
    return {
        "cache": rng.choice([one for one in trace.lives if one["cache"]])["cache"],
        "site": (function(rng.choice([one for one in born if one["birth_site"]])["birth_site"])
                 )[:rng.choice([6, 60])],
        "task": rng.choice([life["birth_comm"], number_of_task,
                            f"{number_of_task}@{life['birth_task_start_ns']}"]),
        "root": rng.choice([one["comm"] or str(one["tid"]) for one in trace.tasks.values()] + [number_of_task] +
                           [str(one["parent_tid"]) for one in trace.tasks.values() if one["parent_tid"]]),
        "cpu": rng.choice(["0", "1", "0-1", "0,1", "1,7"]),
        "size": rng.choice([f"{size}", f"..{size}", f"{size}..", f"{size}..{4 * size}", "1K..4K"]),
        "certainty": rng.choice(["exact", "open", "before", "exact,open", "uncertain,exact"]),
        "older": rng.choice(["500us", "5ms", "50ms", "1ns"]),
        "from": rng.choice([seconds(times[0] - trace.begin), "@" + seconds(times[0] + trace.clock)]),
        "to": rng.choice(["@" + seconds(times[1] + trace.clock), f"-{seconds(trace.end - times[1])}s"]),
    }


def options(f):
    return [f"--{name}={value}" for name, value in f.items()]


def wrong_lives(trace, f):
    want = [life for life in trace.lives if trace.keeps(f, life)]
    got = run("lifetimes", "--json", *options(f), trace.path)
    if rows(got.stdout) != want:
        return f"lifetimes: {len(rows(got.stdout))} rows, {len(want)} expected; {got.stderr}"
    if got.returncode and want:
        return f"lifetimes: exit status {got.returncode}, with {len(want)} rows; {got.stderr}"
    return None


def wrong_events(trace, f):
    # dump has the cache of a kmalloc, and a number instead of a name, in no column.
    if {"certainty", "older"} & set(f) or f.get("cache", "").startswith(("kmalloc", "cache #")):
        return None
    want = [event for event in trace.events if trace.keeps_event(f, event)]
    got = run("dump", "--json", *options(f), trace.path)
    lines = rows(got.stdout)
    if lines != [{key: event[key] for key in event if key not in ("where", "asked")}
                 for event in want]:
        return f"dump: {len(lines)} events, {len(want)} expected; {got.stderr}"
    return None


def peak(lives):
    """Most bytes alive at once. Of one time ends come first, as in the order of events."""
    steps = []
    for life in lives:
        size = life["bytes_alloc"] or life["bytes_req"] or 0
        steps.append((life["birth_ns"], 1, size))
        if life["death_ns"] is not None:
            steps.append((life["death_ns"], 0, -size))
    most = now = 0
    for _, _, size in sorted(steps):
        now += size
        most = max(most, now)
    return most


def wrong_sums(trace, f):
    want = collections.Counter()
    lives = [life for life in trace.lives if trace.keeps(f, life) and
             life["birth_ns"] is not None and not life["kind"].startswith("page")]
    for life in lives:
        site = life["birth_site"] or "(unknown)"
        size = life["bytes_alloc"] or life["bytes_req"] or 0
        want[site, "allocations"] += 1
        want[site, "bytes"] += size
        want[site, "exact"] += life["certainty"] == "exact"
        want[site, "alive"] += life["certainty"] == "open"
        want[site, "alive_bytes"] += size * (life["certainty"] == "open")
    got = run("report", "--csv", "--number=0", "--self", *options(f), trace.path)
    table = list(csv.reader(io.StringIO(got.stdout)))
    have = collections.Counter()
    most = 0
    for row in table[1:]:
        for name in ("allocations", "bytes", "exact", "alive", "alive_bytes"):
            have[row[0] or "(unknown)", name] += int(row[table[0].index(name)])
        most += int(row[table[0].index("peak_bytes")] or 0)
    if +have != +want:
        return f"report: {sorted((+have - +want).items())[:4]} too much, " \
               f"{sorted((+want - +have).items())[:4]} too little; {got.stderr}"
    if {"certainty", "older"} & set(f):
        return None if not most else f"report: a peak of {most} bytes, which is not known"
    if most != peak(lives):
        return f"report: a peak of {most} bytes, {peak(lives)} expected"
    return None


def main():
    passed = failed = kept = 0
    for path in sys.argv[2:]:
        trace = Trace(path)
        rng = random.Random(4711)
        names = list(choices(trace, rng))
        filters = [{name: choices(trace, rng)[name]} for name in names]
        while len(filters) < 24:
            values = choices(trace, rng)
            filters.append({name: values[name] for name in rng.sample(names, rng.choice([2, 2, 3]))})
        for f in filters:
            kept += sum(trace.keeps(f, life) for life in trace.lives)
            for wrong in (wrong_lives(trace, f), wrong_events(trace, f), wrong_sums(trace, f)):
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"filters: FAILED: {path}: {' '.join(options(f))}: {wrong}")
    if kept < 1000:
        print(f"filters: FAILED: only {kept} rows were kept by all filters: nothing is compared")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
