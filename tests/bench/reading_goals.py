# SPDX-License-Identifier: GPL-2.0
"""The part `goals` of `reading`: what reading has to reach, each as a ratio of one run, by elapsed
time, which is what a user waits for and what decides, and by CPU time of all threads, beside it. All
commands are interleaved, so other work on the machine slows all of them; but where it leaves no CPU
idle, nothing is done in a second thread, and elapsed time says little."""

import json
import os
import re
import shutil
import statistics

from reading_lib import BUILD, LIFETRACE, TOP, Run, die, make_trace, output, say, warm, work_dir

FLIGHT = os.path.join(TOP, "build/user/flight")
PARTS = 100
TRACE_BYTES = 13	# an event in a file, rather more than less
SCALE = 1386	# ns that babeltrace2 takes for an event where goals in ns hold
FASTER = ("dump", "lifetimes", "lifetimes--csv", "report", "report--json", "leaks", "advice", "top--once",
          "html")

# Name of the goal, what is divided by what, at most; "/": per event, babeltrace2's is multiplied.
RATIOS = (
    ("report --json, --zstd / plain", "report--json-zstd", "report--json", 1.3),
    (f"{PARTS} files / one", "report-files", "report", 1.0),
    ("128 CPUs / 2", "report-128-cpus", "report", 1.2),
    ("10,000 stacks / none", "report-stacks", "report", 1.3),
    ("as an engine without all probes records / all", "report-recorded", "report", 1.3),
    ("own CTF export / LTTng's layout", "babeltrace2-own-export", "babeltrace2", 1.3),
)
SHARES = (
    ("dump of 1 %", "dump-1%", "dump-large", 5),
    ("dump of 1 %, of files", "dump-files-1%", "dump-large", 5),
    ("report of 1 %", "report-1%", "report-large", 5),
    ("report of 1 %, of files", "report-files-1%", "report-large", 5),
    ("report of 1 %, cut out of files", "cut-files-1%+report", "report-large", 5),
    ("cut of 1 %", "cut-1%", "report-large", 2),
    ("cut of 1 %, out of files", "cut-files-1%", "report-large", 2),
)


class Goals:
    """Traces of @size events, and what is measured of them; windows are of one of @large."""

    def __init__(self, samples, size, large, repeats):
        self.samples, self.size, self.large, self.repeats = samples, size, large, repeats
        self.work = work_dir("reading")
        self.found, self.elapsed, self.runs, self.made = {}, {}, [], []

    def check_disk(self):
        """The large trace, and its windows beside it, must leave a tenth of the disk free."""
        total, _, free = shutil.disk_usage(self.work)
        wanted = 2 * TRACE_BYTES * self.large + total // 10
        if free < wanted:
            die(f"{self.work}: {free >> 20} MiB are free, and {wanted >> 20} are needed: WINDOW_EVENTS=N "
                f"asks for a trace of N events instead of {self.large}")

    def trace(self, name, **arguments):
        path = os.path.join(self.work, f"goals-{name}.lt")
        self.made.append(path)
        truth = make_trace("mktrace", path, {"size": self.size, **arguments})
        warm(path)
        return path, truth["records"]

    def add(self, mode, events, *command, environment=None, repeats=None):
        self.runs.append((mode, events, command, environment, repeats or self.repeats))

    def add_commands(self, path, events):
        for mode in FASTER:
            words = mode.replace("--", " --").split()
            out = ["-o", os.path.join(self.work, "goals.html")] if mode == "html" else []
            self.add(mode, events, LIFETRACE, *words, *out, path)
        self.add("top-live", events, "sh", "-c", f"exec '{LIFETRACE}' top --once - <'{path}'")

    def add_others(self):
        path, events = self.trace("zstd", options={"-z": ""})
        self.add("report--json-zstd", events, LIFETRACE, "report", "--json", path)
        path, events = self.trace("cpus", cpus=128)
        self.add("report-128-cpus", events, LIFETRACE, "report", path)
        path, events = self.trace("stacks", options={"-k": 10000})
        self.add("report-stacks", events, LIFETRACE, "report", path)
        path, events = self.trace("recorded", options={"-r": ""})
        self.add("report-recorded", events, LIFETRACE, "report", path)

    def cut_into_parts(self, name, path):
        parts = os.path.join(self.work, f"goals-{name}-parts")
        shutil.rmtree(parts, ignore_errors=True)
        self.made.append(parts)
        output(LIFETRACE, "cut", f"--parts={PARTS}", "-o", parts, path)
        return parts

    def add_files(self, path, events):
        parts = self.cut_into_parts("plain", path)
        self.made.append(f"{parts}.new")
        self.add("report-files", events, LIFETRACE, "report", parts)
        self.add("cut-parts", events, "sh", "-c", f"rm -rf '{parts}.new' && exec '{LIFETRACE}' cut --parts={PARTS} "
                 f"-o '{parts}.new' '{path}'")

    def add_windows(self):
        """1 % from the middle of a part on, where half a part is read before. Of a trace so large that the
        start of a process is not what is measured, three times at most."""
        path, events = self.trace("large", size=self.large)
        parts = self.cut_into_parts("large", path)
        head = json.loads(output(LIFETRACE, "report", "--json", path))
        length = (head["end_ns"] - head["begin_ns"]) / 1e9
        window = [f"--from={length * 0.505:.6f}", f"--to={length * 0.515:.6f}"]
        cut = os.path.join(self.work, "goals-cut.lt")
        self.made += [cut, f"{cut}.old"]
        for mode, *words in (("dump-large", "dump", path), ("report-large", "report", path),
                             ("dump-1%", "dump", *window, path), ("dump-files-1%", "dump", *window, parts),
                             ("report-1%", "report", *window, path), ("report-files-1%", "report", *window, parts),
                             ("cut-1%", "cut", *window, "-f", "-o", cut, path),
                             ("cut-files-1%", "cut", *window, "-f", "-o", cut, parts),
                             ("report-cut", "report", cut)):
            self.add(mode, events, LIFETRACE, *words, repeats=min(3, self.repeats))

    def flight(self, path):
        """The table of the flight recorder behind the drain; it prints the time itself."""
        text = output(FLIGHT, path, str(self.size // 20))
        ns = float(re.search(r"ns_per_event ([0-9.]+)", text)[1])
        self.note("flight-table", ns, ns, None)

    def note(self, mode, ns, cpu_ns, mib):
        """@ns: elapsed"""
        self.found.setdefault(mode, []).append(cpu_ns)
        self.elapsed.setdefault(mode, []).append(ns)
        self.samples.add("goals", mode, "ns/event", ns)
        self.samples.add("goals-cpu", mode, "cpu-ns/event", cpu_ns)
        if mib is not None:
            self.samples.add("goals-memory", mode, "MiB", mib)

    def measure(self, path):
        for time in range(self.repeats):
            for mode, events, command, environment, repeats in self.runs:
                if time >= repeats:
                    continue
                run = Run(command, environment)
                self.note(mode, run.seconds * 1e9 / events, run.cpu_ns / events, run.mib)
            self.flight(path)
        for times in (self.elapsed, self.found):
            times["cut-files-1%+report"] = [a + b for a, b in zip(times["cut-files-1%"], times["report-cut"])]

    @staticmethod
    def lines_of(times):
        """(goal, measured, wanted, whether it is met), by elapsed or by CPU time"""
        median = {mode: statistics.median(values) for mode, values in times.items()}
        scale = median["babeltrace2"]
        for mode in FASTER:
            faster = scale / median[mode]
            yield f"babeltrace2 / {mode.replace('--', ' --')}", f"{faster:.1f}", ">= 20", faster >= 20
        for name, mode, base, most in RATIOS:
            ratio = median[mode] / median[base]
            # What is to be as fast may be apart by what two runs are apart.
            yield name, f"{ratio:.2f}", f"<= {most}", ratio <= max(most, 1.05)
        for name, mode, base, most in SHARES:
            share = 100 * median[mode] / median[base]
            yield f"{name} / all", f"{share:.1f} %", f"<= {most} %", share <= most
        for mode in ("top-live", "flight-table"):
            ns = median[mode] * SCALE / scale
            yield f"{mode}, ns an event where babeltrace2 takes {SCALE}", f"{ns:.0f}", "<= 100", ns <= 100

    def print_lines(self):
        lines = [f"{'':58} {'elapsed':>8} {'CPU':>8}  {'wanted':8} by elapsed time"]
        for (name, found, wanted, met), (_, cpu, _, _) in zip(self.lines_of(self.elapsed), self.lines_of(self.found)):
            lines.append(f"{name:58} {found:>8} {cpu:>8}  {wanted:8} {'met' if met else 'missed'}")
        with open(os.path.join(BUILD, "reading-goals.lines"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))

    def remove(self):
        for path in self.made:
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)


def part_goals(samples, babeltrace_runs, prepared, peers, repeats):
    goals = Goals(samples, int(os.environ.get("EVENTS", "4000000")),
                  int(os.environ.get("WINDOW_EVENTS", "100000000")), repeats)
    goals.check_disk()
    small, _ = prepared(goals.work, "small", size=200000)
    events, runs = babeltrace_runs(goals.work, peers, small)
    for mode, (command, environment) in zip(("babeltrace2", "babeltrace2-own-export"), runs):
        goals.add(mode, events, *command, environment=environment)
    try:
        path, events = goals.trace("plain")
        goals.add_commands(path, events)
        goals.add_files(path, events)
        goals.add_others()
        goals.add_windows()
        say(f"goals: {len(goals.runs)} commands, {repeats} times")
        goals.measure(path)
        goals.print_lines()
    finally:
        goals.remove()
    return "babeltrace2"
