#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: times.py TOOL TRACE...

One base of times. In CSV and JSON of all commands a time counts from the begin of the trace, with
--absolute from the zero of its clock, with --time=wall from 1970; nothing else differs. Text has the
times of JSON, and what it prints can be given to --from. Prints what differs; the last line is
"N passed, N failed"."""
import json
import os
import re
import subprocess
import sys

TOOL, *TRACES = sys.argv[1:]
TIMES = {
    "lifetimes": {"birth_ns", "death_ns", "rcu_request_ns"},
    "dump": {"time"},
    "syscalls": {"begin_ns", "end_ns"},
    "calls": {"begin_ns", "end_ns"},
    "tasks": {"birth_ns", "end_ns", "last_seen_ns", "release_ns", "process_end_ns"},
    "tree": {"begin_ns", "end_ns"},
    "hazards": {"time_ns"},
    "plot": {"time_ns"},
    "report": {"begin_ns", "end_ns", "peak_ns"},
    "info": {"begin_ns", "end_ns", "window_begin_ns", "clock_until_ns", "after_ns", "before_ns", "cut_ns",
             "until_ns", "trigger_ns"},
}
# Of these a text may have a time.
LOST = re.compile(r"(lost.* (?:at|before) )([0-9.]+)( s)")


def run(*args):
    # A time of the day is one of the zone of the process.
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"})


def answer(command, *args):
    """What a command prints as JSON, as one list; None: the trace does not have that."""
    got = run(command, "--json", *args)
    if got.returncode:
        return None
    try:
        return [json.loads(got.stdout)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in got.stdout.splitlines()]


def shifted(value, names, shift, key=None):
    """The answer with its times later by that."""
    if isinstance(value, dict):
        return {k: shifted(v, names, shift, k) for k, v in value.items()}
    if isinstance(value, list):
        return [shifted(v, names, shift, key) for v in value]
    if key in names and value is not None:
        return value + shift
    if key == "why" and isinstance(value, str):
        return LOST.sub("", value)
    return value


def flat(value, names, key=None):
    if isinstance(value, dict):
        return [n for k, v in value.items() for n in flat(v, names, k)]
    if isinstance(value, list):
        return [n for v in value for n in flat(v, names, key)]
    return [value] if key in names and value is not None else []


def nanoseconds(text):
    whole, part = text.split(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


class Check:
    passed = failed = 0

    def __call__(self, what, found, wanted):
        if found == wanted:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED {what}: {str(found)[:200]} instead of {str(wanted)[:200]}")


def bases(check, trace, info):
    for command, names in TIMES.items():
        usual, raw, wall = (answer(command, *words, trace) for words in ((), ("--absolute",), ("--time=wall",)))
        if usual is None:
            check(f"{trace}: {command} --absolute", (raw, wall), (None, None))
            continue
        check(f"{trace}: {command} --time=clock", answer(command, "--time=clock", trace), raw)
        check(f"{trace}: {command} --time=begin", answer(command, "--time=begin", trace), usual)
        check(f"{trace}: {command} --absolute", shifted(raw, names, -info["clock_begin_ns"]),
              shifted(usual, names, 0))
        # The wall clock is slewed.
        far = [abs(a - info["begin_realtime_ns"] - b) for a, b in zip(flat(wall, names), flat(usual, names))]
        check(f"{trace}: {command} --time=wall", [n for n in far if n > 10**6], [])
        check(f"{trace}: {command}: no time", bool(far) or command in ("hazards", "syscalls", "calls"), True)


def pasted(check, trace):
    """Times of text are those of JSON, and --from takes them."""
    lives = [life for life in answer("lifetimes", trace) if life["birth_ns"] is not None]
    text = [line.split()[0] for line in run("lifetimes", trace).stdout.splitlines()[1:]]
    times = [nanoseconds(word) for word in text if word != "-"]
    check(f"{trace}: lifetimes: text", times, [life["birth_ns"] for life in lives])
    for word in [word for word in text if word != "-"][::40]:
        check(f"{trace}: lifetimes --from={word}", answer("lifetimes", f"--from={word}", trace),
              [life for life in lives if life["birth_ns"] >= nanoseconds(word)])
    events = answer("dump", trace)
    text = [line.split()[0] for line in run("dump", trace).stdout.splitlines()]
    check(f"{trace}: dump: text", [nanoseconds(word) for word in text], [event["time"] for event in events])
    for word in text[1::200]:
        check(f"{trace}: dump --from={word}", answer("dump", f"--from={word}", trace),
              [event for event in events if event["time"] >= nanoseconds(word)])
    # By the wall clock, whole or only the time of the day; its readings are between those of the trace's clock.
    text = [line.split()[0] for line in run("dump", "--time=wall", trace).stdout.splitlines()]
    for n, word in list(enumerate(text))[1::200]:
        for form in (word, word.replace("T", " "), word[11:-1]):
            found = answer("dump", f"--from={form}", trace)
            check(f"{trace}: dump --from={form}: not the end", found, events[len(events) - len(found):])
            check(f"{trace}: dump --from={form}", abs(len(found) - len(events) + n) <= 2, True)
    peak = re.search(r"^Peak, at ([0-9.]+ [a-z]+) ", run("report", trace).stdout, re.M)[1]
    check(f"{trace}: report --from={peak}", run("report", f"--from={peak}", trace).returncode, 0)


def main():
    check = Check()
    for trace in TRACES:
        info = answer("info", trace)[0]
        check(f"{trace}: begin", info["begin_ns"], 0)
        span = re.search(r"recorded for (.*)\n", run("report", trace).stdout)[1]
        check(f"{trace}: one length", re.search(r"time span +(.*)", run("info", trace).stdout)[1], span)
        bases(check, trace, info)
        pasted(check, trace)
    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main())
