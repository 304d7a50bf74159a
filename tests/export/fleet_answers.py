# SPDX-License-Identifier: GPL-2.0
"""The answers to the questions of share/sql/questions, by what lifetrace says of each trace."""
import collections
import json
import subprocess
import time

from names import escaped, function_text
from recorded import as_recorded

MINUTE, DAY = 60 * 10 ** 9, 86400 * 10 ** 9
# What stands for the words of the questions.
DATE, OLD, NEW = "2026-11-22", "6.1.0-56-amd64", "6.12.9-amd64"


class Trace:
    """What lifetrace, the program TOOL, says of a trace."""

    def __init__(self, tool, path):
        self.tool = tool
        self.info = json.loads(self.ask("info", "--absolute", "--json", path))
        text = self.info["info"]
        self.host, self.kernel = text["hostname"], text["kernel_release"]
        self.begin = self.info["begin_realtime_ns"]
        self.shift = self.begin - self.info["begin_ns"]
        self.seconds = (self.info["end_ns"] - self.info["begin_ns"]) / 10 ** 9
        self.report = as_recorded(json.loads(self.ask("report", "--absolute", "--json", path)))
        self.caches = as_recorded(json.loads(self.ask("report", "--json", "--by=cache", path)))["rows"]
        self.sites = as_recorded(json.loads(self.ask("report", "--json", "--by=site", path)))["rows"]
        self.cgroups = as_recorded(json.loads(self.ask("report", "--json", "--by=cgroup", path)))["rows"]
        self.tasks = [json.loads(line) for line in self.ask("tasks", "--absolute", "--json", path).splitlines()]
        self.calls = []
        if any(stream["channel"] == "syscall" for stream in self.info["streams"]):
            calls = [json.loads(line) for line in self.ask("syscalls", "--absolute", "--self", "--json", path).splitlines()]
            self.calls = [call for call in calls if call["abi"] != "io_uring"]
        own = int(text["recorder_tgid"]) if text.get("recorder_pid_ns") == str(0xeffffffc) else -1
        self.slab = [row for row in map(json.loads, self.ask("lifetimes", "--absolute", "--json", path).splitlines())
                     if row["kind"] not in ("page", "page_split", "percpu", "vmalloc", "dma") and not
                     (row["birth_tgid"] == own and row["birth_ctx"] == "task") and
                     not any((frame or "").endswith(" [lifetrace]")
                             for frame in [row["birth_site"], *(row.get("birth_stack") or [])])]

    def ask(self, *words):
        done = subprocess.run([self.tool, *words], capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode()}")
        return done.stdout.decode()

    def date(self, ns):
        return time.strftime("%Y-%m-%d", time.gmtime((ns + self.shift) / 10 ** 9))


def cache_of(row):
    return escaped(row["cache"]) or "(unknown)"


def growth(traces):
    sums, hosts = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for t in traces:
        for row in t.sites:
            sums[function_text(row["site"])].update(held=row["alive_bytes"], objects=row["alive"],
                                                     perhaps=row["maybe_alive_bytes"])
            hosts[function_text(row["site"])].add(t.host)
        for row in t.slab:  # whose birth was not seen
            hosts[function_text(row["birth_site"])].add(t.host)
    rows = [(f, s["held"], s["objects"], len(hosts[f]), s["perhaps"]) for f, s in sums.items()
            if s["held"] or s["perhaps"]]
    return sorted(rows, key=lambda r: (-r[1], -r[4], r[0]))[:20]


def dentry(traces):
    sums = collections.defaultdict(collections.Counter)
    for t in traces:
        for row in t.slab:
            if row["cache"] == "dentry" and row["certainty"] == "exact":
                when = "after" if t.date(row["death_ns"]) >= DATE else "before"
                sums[t.host].update({when: row["lifetime_ns"], when + "_n": 1})
    means = ((host, s["before"] / s["before_n"], s["after"] / s["after_n"]) for host, s in sorted(sums.items())
             if s["before_n"] and s["after_n"])
    return [(h, a, b) for h, a, b in means if b > 2 * a or 2 * b < a]


def kernels(traces):
    seconds, sums = collections.Counter(), collections.defaultdict(collections.Counter)
    for t in traces:
        seconds[t.kernel] += t.seconds
        for row in t.caches:
            sums[cache_of(row)][t.kernel] += row["bytes"]
    return [(cache, s[OLD] / seconds[OLD], s[NEW] / seconds[NEW]) for cache, s in sorted(sums.items())
            if s[OLD] + s[NEW]]


def loss(traces):
    sums = collections.defaultdict(collections.Counter)
    for t in traces:
        lost = sum(c[k] for c in t.info["classes"] for k in c if k.startswith("lost"))
        assert lost == t.report["lost"]
        sums[t.host].update(lost=lost, records=t.report["records"])
    return sorted(((h, s["lost"], s["records"]) for h, s in sums.items() if s["lost"]), key=lambda r: (-r[1], r[0]))


def old(traces):
    sums, hosts = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for t in traces:
        for row in t.slab:
            minute = ((row["birth_ns"] or 0) + t.shift) // MINUTE * MINUTE
            if row["certainty"] == "open" and minute + MINUTE + DAY <= t.info["end_ns"] + t.shift:
                sums[cache_of(row)].update(held=row["bytes_alloc"] or row["bytes_req"] or 0, objects=1)
                hosts[cache_of(row)].add(t.host)
    return sorted(((c, s["held"], s["objects"], len(hosts[c])) for c, s in sums.items()), key=lambda r: (-r[1], r[0]))


def cgroups(traces):
    sums = collections.defaultdict(collections.Counter)
    for t in traces:
        for row in t.cgroups:
            if row["cgroup"]:
                sums[escaped(row["cgroup_path"]) or f"id:{row['cgroup']}"].update(
                    births=row["allocations"], given=row["bytes"], held=row["alive_bytes"])
    return sorted(((c, s["births"], s["given"], s["held"]) for c, s in sums.items()), key=lambda r: (-r[2], r[0]))


def busiest(traces):
    sums = collections.defaultdict(collections.Counter)
    for t in traces:
        for row in t.slab:
            if row["birth_ns"] is not None:
                sums[t.host][(row["birth_ns"] + t.shift) // MINUTE] += 1
    return sorted(((h, max(c.values())) for h, c in sums.items()), key=lambda r: (-r[1], r[0]))


def certainty(traces):
    names, sums = ("exact", "open", "before", "bounded", "uncertain"), collections.defaultdict(collections.Counter)
    for t in traces:
        sums[t.host].update({name: t.report[name] for name in names})
    return [(h, *(s[name] for name in names)) for h, s in sorted(sums.items())]


def watched(traces):
    frees = ("kfree", "kmem_cache_free", "bulk_free", "rcu_free")
    rows = {(t.kernel, t.host, e["name"]) for t in traces for e in t.info["events"]
            if not e["watched"] and e["name"] in frees}
    return sorted(rows)


def tasks(traces):
    sums = collections.defaultdict(collections.Counter)
    for t in traces:
        for row in t.tasks:
            if row["kind"] == "process" and row["comm"] is not None:
                short = row["birth_certainty"] == row["end_certainty"] == "exact" and row["lifetime_ns"] < 10 ** 9
                sums[escaped(row["comm"])].update(processes=1, short=int(short))
    return sorted(((c, s["processes"], s["short"]) for c, s in sums.items()), key=lambda r: (-r[1], r[0]))


def percentile(traces):
    powers = collections.defaultdict(list)
    for t in traces:
        for row in t.slab:
            if row["certainty"] == "exact":
                powers[cache_of(row)].append(max(1, row["lifetime_ns"].bit_length()))
    return [(c, len(p), sorted(p)[(len(p) * 99 + 99) // 100 - 1]) for c, p in sorted(powers.items())]


def syscalls(traces):
    sums, hosts = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for t in traces:
        for row in t.calls:
            if not row["flags"] & 2:
                sums[row["name"]].update(calls=1, failed=int(row["error"] is not None), time=row["duration_ns"] or 0)
                hosts[row["name"]].add(t.host)
    return sorted(((n, s["calls"], s["failed"], s["time"], len(hosts[n])) for n, s in sums.items()),
                  key=lambda r: (-r[3], r[0]))


ANSWERS = (growth, dentry, kernels, loss, old, cgroups, busiest, certainty, watched, tasks, percentile, syscalls)
