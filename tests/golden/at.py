#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: at.py TOOL TRACE...

Who held what then: `report`, `leaks`, `top` and `memory` with --at, against the lifetimes of `lifetimes --json`, of
traces in which all lifetimes are exact, open or before. And the commands that `report` prints: each has the
number that stands behind it. Prints what differs; the last line is "N passed, N failed"."""
import collections
import csv
import io
import json
import re
import shlex
import subprocess
import sys

TOOL, *TRACES = sys.argv[1:]
KINDS = ("kmalloc", "cache", "bulk")
COUNTED = {"freed on another CPU": "other_cpu", "outlived their maker": "outlives", "lived up to": "short_lived",
           "or longer": "long_lived"}


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=True).stdout


def table(*args):
    return list(csv.DictReader(io.StringIO(run(*args))))


class Check:
    passed = failed = 0

    def __call__(self, what, found, wanted):
        if found == wanted:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED {what}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def held(lives, time):
    """By call site: allocations up to then, alive then, and its bytes."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for life in lives:
        if life["birth_ns"] > time:
            continue
        row = sums[life["birth_site"] or ""]
        alive = life["ended_by"] == "alive" or life["death_ns"] > time
        row[0] += 1
        row[1] += alive
        row[2] += alive * (life["bytes_alloc"] or life["bytes_req"] or 0)
    return dict(sums)


def instants(check, trace):
    lives = [life for life in map(json.loads, run("lifetimes", "--json", trace).splitlines())
             if life["kind"] in KINDS and life["birth_ns"] is not None]
    births = sorted(life["birth_ns"] for life in lives)
    for time in [births[0] - 1] + births[::len(births) // 7] + [births[-1] + 1]:
        at, wanted = f"--at={seconds(time)}", held(lives, time)
        found = {row["site"]: [int(row[name]) for name in ("allocations", "alive", "alive_bytes")]
                 for row in table("report", "--self", "--csv", at, trace)}
        check(f"{trace}: report {at}", found, wanted)
        head = json.loads(run("report", "--self", "--json", at, trace))
        check(f"{trace}: report {at}: end", head["end_ns"], time)
        alive = [sum(row[i] for row in wanted.values()) for i in (1, 2)]
        top = json.loads(run("top", "--self", "--json", "--delay=1h", at, trace).splitlines()[-1])
        check(f"{trace}: top {at}", [top["alive"], top["alive_bytes"]], alive)
        leaks = {row["name"]: [int(row["alive"]), int(row["alive_bytes"])]
                 for row in table("leaks", "--self", "--older=1ns", "--csv", at, trace)}
        own = {name for name in wanted if name.endswith("[lifetrace]")}
        check(f"{trace}: leaks {at}", {name: row for name, row in leaks.items() if name not in own},
              {name: row[1:] for name, row in wanted.items() if row[1] and name not in own and name in leaks})
        usual = json.loads(run("report", "--json", at, trace))
        memory = {row["space"]: row for row in table("memory", "--csv", at, trace)}
        check(f"{trace}: memory {at}", [int(memory["slab"][name]) for name in ("alive", "alive_bytes")],
              [sum(row[name] for row in usual["rows"]) for name in ("alive", "alive_bytes")])
    whole = json.loads(run("report", "--json", trace))
    late = json.loads(run("report", "--json", f"--at={seconds(whole['end_ns'])}", trace))
    check(f"{trace}: report --at of the end", late["rows"], whole["rows"])


def commands(check, trace):
    cache = table("report", "--by=cache", "--csv", trace)[0]["cache"]
    for words in ([], ["--from=-0.2"], [f"--cache={cache}", "--short=5ms"], ["--self", "--long=20ms"],
                  ["--at=1.9", "--size=..200"], ["--space=pages", "--cpu=1"]):
        text = run("report", *words, trace)
        lines = re.findall(r"^  lifetrace (report .*|lifetimes.*)  (\S.*)$", text.split("\nDeeper\n")[1], re.M)
        check(f"{trace}: report {words}: commands", len(lines) >= 3, True)
        for command, what in lines:
            command = shlex.split(command)
            for word in words:
                check(f"{trace}: report {words}: {command}", word in command,
                      command[0] == "report" or word.split("=")[0] in ("--from", "--cache", "--size", "--cpu"))
            column = [name for text, name in COUNTED.items() if text in what]
            if column:
                rows = table("report", "--csv", "--number=0", *[w for w in command[1:] if w.startswith("--")], trace)
                check(f"{trace}: {command}: {what}", sum(int(row[column[0]]) for row in rows),
                      int(what.split()[0].replace(",", "")))


def main():
    check = Check()
    for trace in TRACES:
        instants(check, trace)
        commands(check, trace)
    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main())
