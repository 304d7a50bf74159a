# SPDX-License-Identifier: GPL-2.0
"""
usage: compare.py NAME DECIDED < ROWS

ROWS are what `lifetrace resolve --json` prints of a log of tests/resolve/kids.c. A line that says which
kid it is of, "kid-1-2 of mom-1", must mean one task of that name, always the same one, whose parent is the
task of that mother, always the same one, and whose program is that of the kid, where it has executed
one. What getppid() returned must be the parent. At least DECIDED percent of these lines must be decided.
"""
import collections
import json
import re
import sys

SAYS = re.compile(r'(kid-\d+-\d+)(?:\[\d+\]:)? of (mom-\d+)|"name":"(kid-\d+-\d+)","mom":"(mom-\d+)"')
NAMED = re.compile(r" *(kid-\d+-\d+)[- ] *\d+ ")
PARENT = re.compile(r"getppid\(\) += (\d+)|\"ppid\":(\d+)")

what, percent = sys.argv[1], int(sys.argv[2])
faults = []
tasks, names, moms, mothers = {}, {}, {}, {}
verdicts = collections.Counter()


def expect(same, line, text):
    if not same:
        faults.append(f"line {line['line']}: {text}: {json.dumps(line)}")


def same(table, key, value):
    return table.setdefault(key, value) == value


for row in sys.stdin:
    line = json.loads(row)
    text = line["text"]
    parent = PARENT.search(text)
    if parent and line["verdict"] == "decided" and line["parent_tid"] is not None:
        expect(line["parent_tid"] == int(parent[1] or parent[2]), line, "the parent is not what getppid() returned")
    said = SAYS.search(text)
    kid, mom = (said[1] or said[3], said[2] or said[4]) if said else (None, None)
    named = NAMED.match(text)
    if named:
        kid = named[1]
    if not kid:
        continue
    verdicts[line["verdict"]] += 1
    if line["verdict"] != "decided":
        continue
    task = (line["tid"], line["start_ns"])
    first, number = map(int, kid.split("-")[1:])
    # A name is not known where it changed within the time of the line. ftrace shows the name that a number
    # had when trace_pipe was read, so a kid that has its mother's name still has its own there.
    names_of = [kid, None] + ([f"mom-{first}"] if what == "ftrace" else [])
    expect(line["comm"] in names_of, line, "another name")
    expect(same(tasks, kid, task) and same(names, task, kid), line, "another task")
    if (first * 4 + number) % 2 == 0:
        expect(line["file"] is None or line["file"].endswith("/" + kid), line, "another program")
    if mom and line["parent_start_ns"] is not None:
        expect(same(moms, mom, line["parent_start_ns"]) and same(mothers, line["parent_start_ns"], mom), line,
               "another parent")

total = sum(verdicts.values())
print(f"{what}: {total} lines of kids, {dict(verdicts)}; {len(tasks)} tasks, {len(moms)} parents; {len(faults)} wrong")
for fault in faults[:5]:
    print(fault)
sys.exit(bool(faults) or not total or verdicts["decided"] * 100 < percent * total)
