#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Calls that are decided late.

usage: stuck.py LIFETRACE DIR

DIR/calls.lt has the calls of a cat that was killed in open() (DIR/cat: its number), of a sleep that
slept at the end (DIR/sleep), of another one that slept since before (DIR/before), and of threads
that seccomp ended (DIR/killed: lines of thread and number of the call). Filters must give exactly
the rows that have the task, CPU and time that they ask for.
"""
import json
import os
import subprocess
import sys

BEFORE, SKIPPED = 1, 4
faults = 0


def check(text, good):
    global faults
    if not good:
        print(f"stuck: {text}")
        faults += 1


def main(program, directory):
    trace = os.path.join(directory, "calls.lt")

    def rows(*options):
        out = subprocess.run([program, "syscalls", "--json", *options, trace], check=True, stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in out.decode().splitlines()]

    def number(name):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            return int(file.read())

    every = rows()
    cat = rows(f"--task={number('cat')}")
    check("the call in which cat was killed", [(row["comm"], row["ended"]) for row in cat[-1:]] == [("cat", "interrupted")] and
          "open" in cat[-1]["name"])
    for name, flag in ("sleep", 0), ("before", BEFORE):
        last = rows(f"--task={number(name)}")[-1:]
        check(f"the call in which {name} sleeps", [(row["comm"], row["ended"], row["flags"] & BEFORE) for row in last] ==
              [("sleep", "open", flag)] and "nanosleep" in last[0]["name"])
    with open(os.path.join(directory, "killed"), encoding="utf-8") as file:
        killed = [tuple(map(int, line.split())) for line in file]
    check("two threads were killed", len(killed) == 2)
    for tid, nr in killed:
        last = [row for row in every if row["tid"] == tid][-1]
        check(f"the call at which thread {tid} was ended", (last["nr"], last["ended"], last["flags"] & SKIPPED) ==
              (nr, "died", SKIPPED) and last["remarks"] == "not executed, the thread ended" and last["arg0"] in ("0x4d", "0x4e"))
    for name in sorted({row["comm"] for row in every if row["comm"]}):
        check(f"--task={name}", rows(f"--task={name}") == [row for row in every if row["comm"] == name])
    for cpu in sorted({row["cpu"] for row in every}):
        check(f"--cpu={cpu}", rows(f"--cpu={cpu}") == [row for row in every if row["cpu"] == cpu])
    check("--from=0", rows("--from=0") == every)
    middle = (every[0]["end_ns"] + every[-1]["end_ns"]) // 2
    time = f"{middle // 10**9}.{middle % 10**9:09d}"
    check("--from and --to", [rows(f"--from={time}"), rows(f"--to={time}")] ==
          [[row for row in every if row["end_ns"] >= middle], [row for row in every if row["end_ns"] < middle]])
    print(f"stuck: {len(every)} calls; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
