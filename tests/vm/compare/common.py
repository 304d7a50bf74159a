# SPDX-License-Identifier: GPL-2.0
"""
What the comparisons share: faults, what commands of the tool print, and the arguments
of a program. Nothing here depends on how the tool is made.
"""
import json
import subprocess
import sys
from collections import Counter

SHOWN = 15
CONTEXTS = {"task": 0, "softirq": 1, "hardirq": 2, "nmi": 3}


class Faults:
    """Counts what is wrong, by kind, and prints the first of each kind."""

    def __init__(self):
        self.kinds = Counter()

    def add(self, kind, text=""):
        self.kinds[kind] += 1
        if self.kinds[kind] <= SHOWN:
            print("FAULT %s: %s" % (kind, str(text)[:600]))

    def check(self, ok, kind, text=""):
        if not ok:
            self.add(kind, text)
        return ok

    @property
    def total(self):
        return sum(self.kinds.values())

    def print(self):
        for kind, n in sorted(self.kinds.items()):
            print("faults_%s %d" % (kind.replace(" ", "_"), n))
        print("faults", self.total)


def print_counts(counts):
    for key in sorted(counts):
        print(key, counts[key])


def lines(program, *arguments):
    """The lines that a command of the tool prints, as bytes."""
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE) as p:
        yield from p.stdout
    if p.returncode:
        raise SystemExit("%s %s ended with %d" % (program, " ".join(arguments), p.returncode))


def dump(program, path, *options):
    """The events of a trace, each a dict, in order of time."""
    for line in lines(program, "dump", "--absolute", "--json", *options, path):
        event = json.loads(line)
        # A backslash in a name is doubled there, besides JSON's own doubling.
        if b"\\\\\\\\" in line:
            for key, value in event.items():
                if isinstance(value, str):
                    event[key] = value.replace("\\\\", "\\")
        yield event


def check_loss(faults, program, path):
    """
    By its own statistics a trace has every event that was seen, and every packet. Return: the
    statistics, and how many events were lost.
    """
    info = json.loads(b"".join(lines(program, "info", "--absolute", "--json", path)))
    lost = {c["class"]: n for c in info["classes"]
            for n in [sum(v for k, v in c.items() if k.startswith("lost"))] if n}
    faults.check(not lost, "lost", lost)
    faults.check(not info["left_out_packets"], "left out", info["left_out_packets"])
    faults.check(info["complete"], "torn", path)
    return info, sum(lost.values())


def usage(text, n):
    """The n arguments of a program; without them its usage is printed."""
    if len(sys.argv) != n + 1:
        raise SystemExit(text)
    return sys.argv[1:]
