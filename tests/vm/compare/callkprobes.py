#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callkprobes.py LIFETRACE FILE EVENTS [PROFILE VMLINUX]

Calls of functions whose arguments and result are registers, beside what kprobe events of ftrace read
in the same run: FUNCTION_in has the registers of three arguments as a, b, c, FUNCTION_out the result as
r. $reg1 is a register as it is; $arg1, and a result, that part of it which the types in VMLINUX give it. Of
each thread that was born after both began the calls of a function are the same, in the same order, with the
same values, at the same time. PROFILE is ftrace's kprobe_profile: functions of which it, or the trace, has
missed calls are left out, which must be few; what returned behind a quiet time near the end is not compared;
and no thread may be missing. Prints "key value" lines; exit status 1 when there is a fault.
"""
import json
import math
import re
import sys
from collections import Counter, defaultdict

from calls import calls, sums, values
from common import Faults, dump, lines, print_counts
from prototypes import MASK, Prototypes, extended

EVENT = re.compile(r"^\s*.+-(\d+)\s+\[\d+\] (\S+) +(\d+)\.(\d+): (\w+)_(in|out): \((.*?)\)(.*)$")
NEAR_END = 2 * 10 ** 9


def of_ftrace(path):
    """Of each (tid, function) its calls in a task, in the order of their begin: begin, end, registers, result."""
    done, opened = defaultdict(list), defaultdict(list)
    with open(path, encoding="latin-1") as f:
        for line in f:
            m = EVENT.match(line)
            if not m:
                continue
            tid, flags, s, us, name, what, _, rest = m.groups()
            # Of an NMI, a hard or a soft interrupt: the third letter.
            if flags[2] != ".":
                continue
            at, key = int(s) * 10 ** 9 + int(us) * 1000, (int(tid), name)
            given = {k: int(v, 0) & MASK for k, v in re.findall(r"(\w)=(\S+)", rest)}
            if what == "in":
                call = [at, None, (given["a"], given["b"], given["c"])]
                opened[key].append(call)
                done[key].append(call)
            elif opened[key]:
                call = opened[key].pop()
                call[1] = at
                call.append(given["r"])
    return {key: [tuple(call) for call in found if call[1] is not None] for key, found in done.items()}


def of_bits(registers, first, bits):
    """What BITS can be in registers of which FIRST is their argument's first one."""
    register = registers[first + bits.first // 64:][:1]
    return extended(register[0] >> bits.first % 64, bits.n, bits.signs) if register else None


def is_result(result, register, types, proto):
    """Without types: the whole register, or the int in it, extended with its sign."""
    if not proto:
        return result in extended(register, 32, (True,)) | {register}
    bits = types.result(proto)
    return bool(bits) and result in of_bits([register], 0, bits)


def is_argument(n, name, value, registers, types, proto):
    """Without types: a register as it is. One that is not among REGISTERS is not compared."""
    if name.startswith("$reg") or not proto:
        return value == registers[n]
    first, bits = types.argument(proto, name)
    return bool(bits) and value in (of_bits(registers, first, bits) or (value,))


def same(row, event, types, proto):
    """Are the values of the trace what the registers hold? Of a function without a result none is asked for."""
    arguments = enumerate(row[2].items())
    return all(is_argument(n, name, value, event[2], types, proto) for n, (name, value) in arguments) and \
        (row[3] is None or is_result(row[3], event[3], types, proto))


def attached_at(rows, begin):
    """From when on each function is surely attached: its first call in the trace, or the trace's begin."""
    first = {}
    for c in rows:
        first[c["function"]] = min(first.get(c["function"], c["begin_ns"]), c["begin_ns"])
    return {name: max(begin, at) for name, at in first.items()}


def of_trace(rows, since, counts):
    """The same of the calls of a trace, of threads that were born after the function's moment of SINCE."""
    done = defaultdict(list)
    for c in rows:
        if c["ctx"] != "task" or not c["task_start_ns"] or c["task_start_ns"] < since[c["function"]]:
            counts["of_older_threads"] += 1
            continue
        if c["ended"] == "returned":
            given = {name: v & MASK for name, v in values(c["args"]).items()}
            result = int(c["result"], 0) & MASK if c["result"] else None
            done[c["tid"], c["function"]].append((c["begin_ns"], c["end_ns"], given, result))
    return done


def last_moment(theirs, end):
    """The middle of the longest time near the end of the trace in which no call returned."""
    ends = sorted(row[1] for rows in theirs.values() for row in rows if end - NEAR_END < row[1] < end)
    ends = [end - NEAR_END, *ends, end]
    return max((b - a, (a + b) // 2) for a, b in zip(ends, ends[1:]))[1]


def up_to(rows, end):
    """How many of a thread's calls had returned by then."""
    return sum(row[1] <= end for row in rows)


def compare(faults, ours, theirs, end=math.inf, types=None):
    """
    What one of the two has seen return by END the other one has, too: maybe later by what came in between.
    Yields our calls, and what ftrace has of each.
    """
    for key, rows in ours.items():
        rows.sort(key=lambda row: row[0])
        other = theirs.get(key, [])
        n = max(up_to(rows, end), up_to(other, end))
        if not faults.check(min(len(rows), len(other)) >= n, "count", (key, n, len(rows), len(other))):
            continue
        proto = types and types.proto(key[1])
        for row, event in zip(rows[:n], other):
            faults.check(same(row, event, types, proto), "values", (key, row, event))
            # One of the two is around the other. Printed times have microseconds.
            faults.check(row[0] <= event[1] + 1000 and event[0] <= row[1], "time", (key, row, event))
            yield row, event


def all_threads(faults, born, since, ours, theirs, end):
    """Of a thread all of whose calls are missing nothing is among ours."""
    for (tid, name), rows in theirs.items():
        if name in since and born.get(tid, 0) > since[name] and up_to(rows, end):
            faults.check((tid, name) in ours, "no calls", (tid, name, len(rows)))


def births(tasks):
    """When threads were born, but for those of the recorder, whose calls are not printed."""
    return {e["tid"]: e["time"] for e in tasks if e["event"] == "task_new" and e["comm"] != "lifetrace"}


def whole(program, path, profile, counts):
    """Functions of which neither has missed a call, and that return: others are recorded when they are called."""
    # What a writer of records calls has no record.
    missed = {f["function"] for f in sums(program, path)
              if f["missed"] or f["calls"] < f["returned"] - f["filtered"]}
    events, returned = set(), set()
    with open(profile, encoding="ascii") as f:
        for line in f:
            name, hits, misses = line.split()
            name, _, what = name.rpartition("/")[2].rpartition("_")
            if what == "out" and int(hits):
                returned.add(name)
            if int(hits) or int(misses):
                events.add(name)
            if int(misses):
                missed.add(name)
    counts["functions_left_out"] = len(events & missed)
    counts["functions_without_return"] = len(events - returned)
    return events & returned - missed


def main(program, path, events, profile=None, vmlinux=None):
    faults, counts = Faults(), Counter()
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    since = defaultdict(lambda: info["clock_begin_ns"])
    rows, theirs, end = list(calls(program, path)), of_ftrace(events), math.inf
    if profile:
        kept = whole(program, path, profile, counts)
        faults.check(counts["functions_left_out"] <= len(kept) / 5, "too many left out", dict(counts))
        rows = [c for c in rows if c["function"] in kept]
        theirs = {key: found for key, found in theirs.items() if key[1] in kept}
        end = last_moment(theirs, info["end_ns"])
        since.update(dict.fromkeys(kept, info["clock_begin_ns"]))
    ours = of_trace(rows, since, counts)
    if profile:
        all_threads(faults, births(dump(program, path, "--channel", "pid")), since, ours, theirs, end)
    for row, event in compare(faults, ours, theirs, end, vmlinux and Prototypes(vmlinux)):
        result = row[3] is not None
        counts["calls"] += 1
        counts["values"] += len(row[2]) + result
        counts["typed"] += sum(name.startswith("$arg") for name in row[2])
        counts["shortened"] += result and row[3] != event[3]
    counts["functions"] = len({name for _, name in ours})
    counts["threads"] = len({tid for tid, _ in ours})
    faults.check(counts["functions"] >= 5 and counts["calls"] >= 200, "too few calls", dict(counts))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
