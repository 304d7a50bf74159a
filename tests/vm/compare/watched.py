#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: watched.py LIFETRACE TRACE KERNEL

Were all events watched that the kernel must have? They are listed in suite/events.
TRACE is a trace of all events. Each listed event that it did not watch is printed
with the reason that the trace gives.

Prints "watched N" and "not_watched N"; exit status 1 when a listed event is missing.
"""

import json
import os
import subprocess
import sys


def expected(kernel):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite", "events")
    own, common = set(), set()
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0] == kernel:
                own.update(words[1:])
            elif words and words[0] == "all":
                common.update(words[1:])
    if not own:
        sys.exit(f"{path}: no events are listed for kernel {kernel}")
    return own | common


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tool, trace, kernel = sys.argv[1:]
    info = json.loads(subprocess.run([tool, "info", "--absolute", "--json", trace], check=True,
                                     stdout=subprocess.PIPE).stdout)
    events = {event["name"]: event for event in info["events"]}
    missing = sorted(name for name in expected(kernel)
                     if not events.get(name, {}).get("watched"))
    for name in missing:
        reason = events[name]["reason"] if name in events else "the module has no such event"
        print(f"not watched on {kernel}: {name}: {reason}")
    print("watched", sum(event["watched"] for event in info["events"]))
    print("not_watched", len(info["events"]) - sum(event["watched"] for event in info["events"]))
    sys.exit(1 if missing else 0)


main()
