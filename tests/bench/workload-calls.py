#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""workload-calls.py LIFETRACE TRACE-CMD PERF BABELTRACE2 OUT - were all calls recorded?

OUT/traces/MODE.REPEAT is what the recorders of tests/bench/workload left, OUT/roots has lines
"MODE REPEAT LOAD PID", the first process of each load. Each trace is read by its recorder's own
reader, and the calls of the load counted that began and returned: those of PID after its execve,
and of all processes and threads that come from it, by the results of fork and clone. A call that
is interrupted and begun again counts once; strace itself, by stopping, makes such ones. Of the
benchmark of redis only recvfrom is counted, one for each answer: the others depend on time.

Prints samples for table.py, LOAD MODE calls COUNT, and a note for each mode that has others than
strace, or where that did not run than the most. Exit status 1: lifetrace has.
"""

import csv
import re
import subprocess
import sys
from collections import Counter, defaultdict

NUMBERS = {"clone": 56, "fork": 57, "vfork": 58, "execve": 59,
           "clone3": 435, "recvfrom": 45}
EXECVE = NUMBERS["execve"]
CREATES = {NUMBERS[name] for name in ("clone", "fork", "vfork", "clone3")}
# The names of a load's processes, for a recorder that has sums by name alone.
NAMES = {"forks": "workload-storm", "copy": "dd", "redis": "redis-benchmark"}
# The call that is counted, where others depend on time.
ONLY = {"redis": NUMBERS["recvfrom"]}
RESULT = r"= (-?\d+|0x[0-9a-f]+)"
# Of calls that are begun again: user space does not see that they were interrupted.
RESTARTS = (-512, -513, -514, -516)
PRINTED = {
    "strace": re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(?: resumed>|\().*\) +" + RESULT),
    "lifetrace-live": re.compile(r" *[\d.]+ .*-(\d+) (\w+)\(.*\) " + RESULT),
    "perf-trace": re.compile(r" *[\d.]+ \(.*?\): (?:[^(]*/)?(\d+) +(?:\.\.\. \[continued\]: )?"
                             r"(\w+)\(.*\) +" + RESULT),
}
FTRACE = re.compile(r".*?-(\d+) +\[.*sys_(enter|exit): +NR (-?\d+)(?: = (-?\d+))?")
PERF = re.compile(r" *(\d+) +raw_syscalls:sys_(enter|exit): +NR (-?\d+)(?: = (-?\d+))?")
LTTNG = re.compile(r".* syscall_(entry|exit)_(\w+): .*?{ tid = (\d+) }, {(?:.* ret = (-?\d+))?")


def lines_of(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace",
                          stderr=subprocess.DEVNULL) as process:
        yield from process.stdout
    if process.returncode:
        sys.exit(f"workload-calls.py: {' '.join(command)} ended with {process.returncode}")


def number(name):
    return NUMBERS.get(name, name)


def printed(mode, path):
    """(tid, call, result) of each call that returned, from what people read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = PRINTED[mode].match(line)
            if match and "[began before" not in line:
                result = int(match[3], 16 if "x" in match[3] else 10)
                yield int(match[1]), number(match[2]), result


def paired(lines, pattern, begin, fields):
    """The same from two events a call; an end without a begin is none."""
    begun = {}
    for line in lines:
        match = pattern.match(line)
        if not match:
            continue
        what, tid, call, result = (match[i] for i in fields)
        call = int(call) if call.lstrip("-").isdigit() else number(call)
        if what == begin:
            begun[tid] = True
        elif begun.pop(tid, False):
            yield int(tid), call, int(result)


def calls_of(mode, path, tools):
    if mode in PRINTED:
        return printed(mode, path)
    if mode == "trace-cmd":
        return paired(lines_of(tools["trace-cmd"], "report", "-i", path), FTRACE, "enter",
                      (2, 1, 3, 4))
    if mode == "perf":
        return paired(lines_of(tools["perf"], "script", "-F", "tid,event,trace", "-i", path), PERF,
                      "enter", (2, 1, 3, 4))
    if mode.startswith("lttng"):
        return paired(lines_of(tools["babeltrace2"], path), LTTNG, "entry", (1, 3, 2, 4))
    rows = csv.DictReader(lines_of(tools["lifetrace"], "syscalls", "--raw", "--csv", path))
    return ((int(row["tid"]), int(row["nr"]), int(row["result"])) for row in rows
            if row["ended"] == "returned" and row["begin_ns"])


def count(calls, roots):
    """roots: {load: pid}. Return: {load: calls of pid and of what comes from it}"""
    children, counts, not_yet = defaultdict(list), Counter(), set(roots.values())
    for tid, call, result in calls:
        # The first return of a new thread, which some have, counts no more than restarts.
        if result in RESTARTS or call in CREATES and result == 0:
            continue
        if call in CREATES and result > 0:
            children[tid].append(result)
        if tid in not_yet:
            if call != EXECVE or result:
                continue
            not_yet.remove(tid)
        counts[tid, call] += 1
    found = {}
    for load, root in roots.items():
        family, waiting = {root}, [root]
        while waiting:
            new = [child for child in children[waiting.pop()] if child not in family]
            family.update(new)
            waiting += new
        found[load] = sum(n for (tid, call), n in counts.items()
                          if tid in family and call == ONLY.get(load, call))
    return found


def count_histograms(path, load):
    """What bpftrace printed: @took[NAME, NUMBER]: and below it rows [FROM, TO) COUNT |"""
    total, wanted = 0, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            key = re.match(r"@took\[(.*), (-?\d+)\]:", line)
            row = re.match(r"[\[(].*[)\]] +(\d+) \|", line)
            if key:
                wanted = key[1] == NAMES[load] and int(key[2]) == ONLY.get(load, int(key[2]))
            elif row and wanted:
                total += int(row[1])
    return total


def report(load, found):
    """found: {mode: [count]}. Return: whether lifetrace has all."""
    truth = found.get("strace") or [max(max(counts) for counts in found.values())]
    low, high = min(truth), max(truth)
    good = True
    for mode, counts in found.items():
        for n in counts:
            print(load, mode, "calls", n)
        wrong = [n for n in counts if not low <= n <= high]
        if wrong:
            worst = min(wrong) if min(wrong) < low else max(wrong)
            lost = f"lost {low - worst}" if worst < low else "more than there were"
            print("note", load, mode, f"has {worst} calls of {low} ({lost})")
            good = good and not mode.startswith("lifetrace")
    return good


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    tools = dict(zip(("lifetrace", "trace-cmd", "perf", "babeltrace2"), sys.argv[1:5]))
    out, found, good = sys.argv[5], defaultdict(dict), True
    runs = defaultdict(dict)
    with open(f"{out}/roots", encoding="utf-8") as file:
        for line in file:
            mode, repeat, load, pid = line.split()
            runs[mode, repeat][load] = int(pid)
    for (mode, repeat), roots in runs.items():
        if mode == "none":
            continue
        path = f"{out}/traces/{mode}.{repeat}"
        if mode.startswith("bpftrace"):
            counts = {load: count_histograms(path, load) for load in roots}
        else:
            counts = count(calls_of(mode, path, tools), roots)
        for load, n in counts.items():
            found[load].setdefault(mode, []).append(n)
    for load, modes in found.items():
        good = report(load, modes) and good
    sys.exit(0 if good else "workload-calls.py: calls are missing")


main()
