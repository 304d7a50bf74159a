#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Are babeltrace2's events those of `lifetrace dump --json`?

usage: ctf.py BABELTRACE-TEXT|- DUMP-JSON

The first is what `babeltrace2 --clock-cycles` prints, the second one JSON object
a line. They must agree in number, order per CPU, and every field. The export has
raw values: narrow addresses are relative to the bases in the packet's header.
"""

import json
import re
import sys

LINE = re.compile(r"^\[(\d+)\] \(\S+\) \S* ?(\w+): (.*)$")
FIELD = re.compile(r'(\w+) = (?:\( "[^"]*" : container = )?("(?:[^"\\]|\\.)*"|-?\w+)')
CPU = re.compile(r"cpu_id = (\d+)")
BASES = re.compile(r"text_base = (\w+), ptr_base = (\w+)")

# Names that viewers know, and ours.
NAMES = {"kmem_kmalloc": "kmalloc", "kmem_kfree": "kfree",
         "kmem_mm_page_alloc": "page_alloc", "kmem_mm_page_free": "page_free"}
CONTEXTS = ["task", "softirq", "hardirq", "nmi"]
# What dump adds to every event, and to some.
ADDED = {"time", "cpu", "seq", "context", "event", "cache_name", "cache_size", "task_start"}
ABOUT_TASK = {"tid", "tgid", "comm"}
OWN_TASK = {"task": ABOUT_TASK, "task_exit": {"tid", "tgid"}}


def unescape(text):
    """A string as babeltrace2 prints it: C escapes."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]).replace("\\n", "\n").replace("\\t", "\t")


def parse_babeltrace(line):
    match = LINE.match(line)
    if not match:
        raise SystemExit("ctf: cannot read babeltrace2's line: " + line[:200])
    time, name, rest = match.groups()
    # { packet context }, { event context }, { payload }
    payload = rest[rest.rindex("}, {") + 3:]
    context = rest[:rest.rindex("}, {") + 1]
    context = context[context.rindex("}, {") + 3:]
    text_base, ptr_base = (int(x, 16) for x in BASES.search(rest).groups())
    fields = {}
    for key, value in FIELD.findall(payload):
        if value.startswith('"'):
            fields[key] = unescape(value)
        else:
            value = int(value, 0)
            if key == "ptr" and value < 1 << 40:
                value += ptr_base
            if key == "call_site" and 0 < value < 1 << 32:
                value = (value + text_base) % (1 << 64)
            fields[key] = value
    return (int(CPU.search(rest).group(1)), NAMES.get(name, name), int(time),
            CONTEXTS[int(FIELD.search(context).group(2))], fields)


def number(value):
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def parse_dump(line):
    event = json.loads(line)
    name = event["event"]
    fields = {}
    for key, value in event.items():
        if key in ADDED or (key in ABOUT_TASK and key not in OWN_TASK.get(name, ())):
            continue
        fields[key] = value if key in ("comm", "text", "name") else number(value)
    return event["cpu"], name, event["time"], event["context"], fields


# Same facts under other names, or known to one side only.
def normalise(fields):
    out = {}
    for key, value in fields.items():
        out[key] = value & 0xFFFFFFFFFFFFFFFF if isinstance(value, int) and value < 0 else value
    return out


def read_streams(lines, parse):
    streams = {}
    for line in lines:
        line = line.rstrip("\n")
        if line:
            cpu, *event = parse(line)
            streams.setdefault(cpu, []).append(event)
    return streams


def main():
    source = sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], errors="surrogateescape")
    theirs = read_streams(source, parse_babeltrace)
    ours = read_streams(open(sys.argv[2], errors="surrogateescape"), parse_dump)
    total = fields = differences = 0
    if sorted(theirs) != sorted(ours):
        raise SystemExit("ctf: streams differ: %s, %s" % (sorted(theirs), sorted(ours)))
    for cpu, events in ours.items():
        if len(events) != len(theirs[cpu]):
            print("ctf: cpu %d: dump has %d events, babeltrace2 %d" %
                  (cpu, len(events), len(theirs[cpu])))
            differences += 1
        for mine, other in zip(events, theirs[cpu]):
            total += 1
            fields += len(mine[3])
            mine[3], other[3] = normalise(mine[3]), normalise(other[3])
            if mine != other:
                differences += 1
                if differences <= 10:
                    print("ctf: cpu %d: dump       %s\n            babeltrace2 %s" %
                          (cpu, mine, other))
    print("ctf: %d events, %d fields compared, %d differences" % (total, fields, differences))
    if total < 1000:
        raise SystemExit("ctf: too few events to mean anything")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
