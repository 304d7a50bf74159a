#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: syscalls.py LIFETRACE DIR KERNEL

Compares the system calls of a trace with what others saw of the same run:

DIR/calls.lt    the trace
DIR/strace.*    of each program that strace ran below the recorder, its output with numbers and
                raw arguments (none: there was no strace)
DIR/blocked     lines "TID CALL ARGUMENTS", /proc/TID/syscall of threads that slept in a call when
                the module was loaded, and were woken while it recorded
DIR/asleep, DIR/asleep32
                the same of threads that slept until the recording had ended, and of such with the
                ABI of 32 bits
DIR/late.lt, late
                a trace whose buffers are too small for the calls that are open at its end, and
                /proc/TID/syscall of threads that slept all the while
DIR/names.lt, errors.lt, long.lt
                traces of getppid and execve alone, of calls that fail, of calls of 20 ms and more
DIR/count.*.lt  traces that ended while threads called ppoll with one number after the other
DIR/ftrace      text of ftrace's raw_syscalls events

Prints "key value" lines; exit status 1 when there is a difference.
"""
import errno
import glob
import json
import os
import re
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts

BEFORE, FIRST, SKIPPED, NO_SLOT, COMPAT, BEGUN, NO_ARGS = 1, 2, 4, 8, 16, 32, 64
DIED, AT_END, OVERTAKEN = 1, 2, 3
RESTARTS = {"ERESTARTSYS": 512, "ERESTARTNOINTR": 513, "ERESTARTNOHAND": 514,
            "ERESTART_RESTARTBLOCK": 516}
MASK = (1 << 64) - 1
counts = Counter()


class Call:
    """A call of the trace, as its reader joins it."""

    def __init__(self, event, begun):
        self.tid, self.nr, self.flags = event["tid"], event["nr"], event["flags"]
        self.opened = event["event"] == "sys_open"
        self.result = None if self.opened else event["result"]
        self.why = event.get("why")
        self.end = event["time"]
        self.begin = event.get("begin", event["time"] - event.get("duration", 0))
        self.known = bool(self.begin) if self.opened else not self.flags & 15
        # An execve has its arguments, and the thread that called it, in the event of its begin.
        source = begun if self.flags & BEGUN and begun else event
        n = sum(f"arg{i}" in event for i in range(6))
        self.args = [int(source[f"arg{i}"], 16) & MASK for i in range(n)]
        self.caller = (source["tid"], source.get("start", source.get("task_start")))

    def __repr__(self):
        return f"{self.tid}: {self.nr}({', '.join(map(hex, self.args))}) = {self.result} flags {self.flags}"


# What most lines are, of a call whose begin is known: its end, thread, and duration.
PLAIN = re.compile(rb'{"time":(\d+),.*?"event":"sys","tid":(\d+),.*?"task_start":(\d+),.*?'
                   rb'"flags":0,"duration":(\d+),')


def check_order(caller, begin, last, faults, call):
    """Calls of a thread do not overlap. last: the end of each thread's last one."""
    counts["known"] += 1
    faults.check(begin >= last.get(caller, 0), "calls of a thread overlap", call)


def calls_of(program, path, faults, keep=True):
    """The calls of each thread, in the order of their ends; none unless they are kept."""
    found, begun, last = defaultdict(list), {}, {}
    for line in lines(program, "dump", "--absolute", "--json", "--channel=syscall", path):
        plain = None if keep else PLAIN.match(line)
        if plain:
            end, tid, start, duration = map(int, plain.groups())
            check_order((tid, start), end - duration, last, faults, line)
            last[tid, start] = end
            counts["calls"] += 1
            continue
        event = json.loads(line)
        if event["event"] == "sys_begin":
            begun[event["time"], event["nr"]] = event
        if event["event"] not in ("sys", "sys_open"):
            continue
        begin = event["time"] - event.get("duration", 0)
        call = Call(event, begun.pop((begin, event["nr"]), None) if event["flags"] & BEGUN else None)
        if call.known:
            check_order(call.caller, call.begin, last, faults, call)
        last[call.caller] = last[event["tid"], event.get("start", event.get("task_start"))] = call.end
        if keep:
            found[event["tid"]].append(call)
        counts["calls"] += 1
    return found


# ---------------------------------------------------------------------------
# strace

LINE = re.compile(r"^(\d+) +(.*)$")
HEAD = re.compile(r"^\[ *(0x[0-9a-f]+|-?\d+|\?+)\] [\w?]+\((.*)$")
RESUMED = re.compile(r"^\[ *(0x[0-9a-f]+|-?\d+)\] <\.\.\. \w+ resumed>(.*)$")


def number(text):
    if text.startswith("?"):
        return -1
    value = int(text, 16 if text.startswith("0x") else 10)
    return value - (1 << 64) if value >= 1 << 63 else value


def result_of(text):
    """None: the call did not return."""
    word, name = (text.split() + [""])[:2]
    if word == "?":
        return -RESTARTS[name] if name in RESTARTS else None
    if word == "-1" and name.startswith("E"):
        return -(RESTARTS.get(name) or getattr(errno, name))
    return number(word)


def strace_calls(path):
    """Per thread (number, arguments, result) in the order of the calls' ends."""
    found, begun = defaultdict(list), {}
    with open(path, encoding="ascii") as file:
        for line in file:
            tid, text = LINE.match(line).groups()
            tid = int(tid)
            resumed, head = RESUMED.match(text), HEAD.match(text)
            superseded = re.match(r"\[ *\d+\] \+\+\+ superseded by execve in pid (\d+)", text)
            if superseded:
                begun[tid] = begun.pop(int(superseded.group(1)))
                continue
            if resumed:
                nr, args = begun.pop(tid)
                more, _, result = resumed.group(2).rpartition(") = ") if ") = " in text else \
                    re.split(r"(\)) += ", resumed.group(2), maxsplit=1)
                args += more
            elif head:
                nr, rest = number(head.group(1)), head.group(2)
                if rest.endswith(" <unfinished ...>"):
                    begun[tid] = nr, rest[:-len(" <unfinished ...>")]
                    continue
                args, result = re.split(r"\) +=? ?= ", rest, maxsplit=1) if ") = " not in rest else \
                    rest.split(") = ", 1)
            else:
                continue
            values = [int(a, 0) & MASK for a in args.replace(" ", "").split(",") if a]
            found[tid].append((nr, values, result_of(result.strip())))
    return found


def check_strace(found, path, kernel, faults):
    """
    Same calls, arguments, results and order in each thread. strace sees a program from its execve
    on, and the trace also what strace itself did in the process before that.
    """
    kinds = set()
    for tid, theirs in strace_calls(path).items():
        ours = [call for call in found.get(tid, ()) if not call.flags & FIRST]
        first = next((i for i, call in enumerate(ours) if call.nr == theirs[0][0] and
                      call.args[:2] == theirs[0][1][:2]), None)
        if not faults.check(first is not None, "strace has a thread more", f"{tid}: {theirs[:2]}"):
            continue
        ours = ours[first:]
        for i, (nr, args, result) in enumerate(theirs):
            # Of a call whose filter kills, kernels before 5.11 show neither begin nor end.
            if kernel == "5.10" and i == len(ours) == len(theirs) - 1 and result is None:
                counts["killed_unseen"] += 1
                break
            if not faults.check(i < len(ours), "strace has calls more", f"{tid}: {theirs[i:i + 3]}"):
                break
            call = ours[i]
            counts["strace"] += 1
            kinds.add(nr)
            n = min(len(args), len(call.args))
            same = call.nr == nr and (call.args[:n] == args[:n] or call.flags & NO_ARGS)
            # The result of a call that killed means nothing.
            mask = 0xFFFFFFFF if call.flags & COMPAT else MASK
            same &= result is None or (call.result ^ result) & mask == 0
            counts["strace_32"] += bool(call.flags & COMPAT)
            if not faults.check(same, "other than strace", f"{call}, strace {nr}({args}) = {result}"):
                break
            # strace has no table of later calls, and shows a number of 64 bits as one argument.
            if len(args) not in (len(call.args), 6) and not call.opened and nr < 100000 and \
               not call.flags & COMPAT:
                counts["args_other"] += 1
                print(f"note: call {nr}: {len(call.args)} arguments, strace prints {len(args)}")
        counts["strace_threads"] += 1
    counts["strace_kinds"] = max(counts["strace_kinds"], len(kinds))


# ---------------------------------------------------------------------------
# /proc

def blocked_of(path):
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[1] not in ("running", "-1"):
                yield int(words[0]), int(words[1]), [int(w, 16) for w in words[2:8]]


def check_blocked(found, path, shown, faults):
    """Each call that was open when the module was loaded: its return, marked; or none is shown."""
    kinds = set()
    for tid, nr, args in blocked_of(path):
        counts["blocked"] += 1
        kinds.add(nr)
        ours = found.get(tid, ())
        marked = [call for call in ours if call.flags & BEFORE and not call.opened]
        good = not marked if not shown else \
            len(marked) == 1 and marked[0] is ours[0] and marked[0].nr == nr and \
            marked[0].args == args[:len(marked[0].args)]
        faults.check(good, "a blocked call", f"{tid} {nr} {args}: {list(ours)[:3]}")
    counts["blocked_kinds"] = len(kinds)


def check_asleep(found, path, flags, faults):
    for tid, nr, args in blocked_of(path):
        counts["asleep"] += 1
        ours = found.get(tid, ())
        good = len(ours) == 1 and ours[0].opened and ours[0].why == AT_END and \
            ours[0].flags == flags and ours[0].nr == nr and ours[0].args == args
        faults.check(good, "a sleeping call", f"{tid} {nr} {args}: {list(ours)[:3]}")


# ---------------------------------------------------------------------------
# Threads that count

def check_counting(program, path, faults):
    """The call that was open at the end is the one after the last that returned."""
    for calls in calls_of(program, path, faults).values():
        if len(calls) < 3 or not calls[-1].opened or calls[-2].nr != calls[-1].nr or \
           calls[-2].result != 0 or len(calls[-2].args) != 5 or calls[-2].args[1]:
            continue
        last = calls[-1]
        counts["counting"] += 1
        counts["counting_known"] += not last.flags & NO_ARGS
        faults.check(last.flags & NO_ARGS or last.args[4] == calls[-2].args[4] + 1,
                     "arguments of a later call", f"{calls[-2]}; {last}")


# ---------------------------------------------------------------------------
# Filters

def check_filters(program, directory, faults):
    """What the module left is what was asked for, and all of it."""
    def filtered(name):
        path = os.path.join(directory, name + ".lt")
        return [call for calls in calls_of(program, path, faults).values() for call in calls]

    names = filtered("names")
    kinds = Counter(call.nr for call in names)
    faults.check(len(kinds) == 2 and max(kinds.values()) == 400, "not getppid and execve", kinds)
    faults.check(any(call.flags & BEGUN and call.result == 0 for call in names), "no execve")
    errors = filtered("errors")
    counts["errors"] = len(errors)
    faults.check(all(call.opened is False and -4095 <= call.result < 0 for call in errors) and
                 len(errors) > 400, "not the calls that fail", len(errors))
    long = filtered("long")
    counts["long"] = len(long)
    bad = [call for call in long if call.known and not call.opened and
           call.end - call.begin < 20000000]
    faults.check(not bad and len(long) > 5, "not the long calls", bad or len(long))


# ---------------------------------------------------------------------------
# What each special case looks like; and ftrace

def check_cases(found, faults):
    """The flags that the program `calls forks` must have caused."""
    every = [call for calls in found.values() for call in calls]
    flags = Counter()
    for call in every:
        for bit in (FIRST, SKIPPED, BEGUN, COMPAT):
            flags[bit] += bool(call.flags & bit)
        flags["restart"] += call.result in (-512, -513, -514, -516)
        flags["died"] += call.opened and call.why == DIED
    for name, key in (("first", FIRST), ("skipped", SKIPPED), ("begun", BEGUN), ("compat", COMPAT),
                      ("restart", "restart"), ("died", "died")):
        counts[name] = flags[key]
    faults.check(any(call.flags & SKIPPED and call.result == -errno.ENOTUNIQ for call in every),
                 "no denied call")
    # The filter's own call was denied, not one that an older thread had begun before.
    faults.check(not any(call.flags & (BEFORE | NO_SLOT) for call in every if call.flags & SKIPPED),
                 "a denied call is marked as an older one")
    for name in ("begun", "restart", "died"):
        faults.check(counts[name], f"no call {name}")


def check_ftrace(found, path, faults):
    """Ends of calls by thread, number and result, of the program `calls threads`."""
    theirs = defaultdict(Counter)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"\s*calls-(\d+).*: sys_exit: NR (-?\d+) = (-?\d+)", line)
            if match:
                tid, nr, result = map(int, match.groups())
                # s390x has no number as 2^32 - 1.
                theirs[tid][-1 if nr == 0xFFFFFFFF else nr, result] += 1
    for tid, ends in theirs.items():
        # ftrace was switched on before the thread began; the name is its last one.
        ours = Counter((call.nr, call.result) for call in found.get(tid, ()) if not call.opened)
        counts["ftrace"] += sum(ends.values())
        for key in (ours - ends) + (ends - ours):
            faults.add("other than ftrace", f"{tid}: {key}: {ours[key]}, ftrace {ends[key]}")


def main(program, directory, kernel):
    faults = Faults()
    found = calls_of(program, os.path.join(directory, "calls.lt"), faults)
    straced = sorted(glob.glob(os.path.join(directory, "strace.*")))
    for path in straced:
        check_strace(found, path, kernel, faults)
    faults.check(not straced or counts["strace_kinds"] >= 300, "strace saw too few kinds of calls")
    # On arm the kernel does not show the return of a call that began before.
    check_blocked(found, os.path.join(directory, "blocked"), kernel != "armhf", faults)
    faults.check(counts["blocked"] >= 100, "too few blocked calls", counts["blocked"])
    faults.check(counts["blocked_kinds"] >= 20, "too few kinds", counts["blocked_kinds"])
    check_asleep(found, os.path.join(directory, "asleep"), BEFORE, faults)
    if os.path.exists(os.path.join(directory, "asleep32")):
        check_asleep(found, os.path.join(directory, "asleep32"), BEFORE | COMPAT, faults)
    faults.check(counts["asleep"] >= 20, "too few sleeping calls", counts["asleep"])
    late = calls_of(program, os.path.join(directory, "late.lt"), faults)
    before = counts["asleep"]
    check_asleep(late, os.path.join(directory, "late"), BEFORE, faults)
    counts["late"] = counts["asleep"] - before
    faults.check(counts["late"] >= 100, "too few calls for small buffers", counts["late"])
    check_filters(program, directory, faults)
    for path in glob.glob(os.path.join(directory, "count.*.lt")):
        check_counting(program, path, faults)
    check_cases(found, faults)
    check_ftrace(found, os.path.join(directory, "ftrace"), faults)
    faults.check(counts["ftrace"] >= 2000, "too few events of ftrace", counts["ftrace"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
