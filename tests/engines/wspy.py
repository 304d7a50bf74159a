#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: wspy.py TEXT TASKS

Reads the text of `lifetrace tree --threads --wspy` as programs read that of wspy --tree, which know a task by
its number, take one root, and split /proc/PID/stat at blanks; and compares tasks, parents, times, names and ends
with the rows of `lifetrace tasks --json`. Exit status: 0: they are the same.
"""
import collections
import json
import sys

MICRO = 1000


def read(path):
    """(number: [begin in us, name, wait status, minor faults, number above]), roots; in the order of the lines."""
    tasks, roots, last = {}, [], 0
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file.read().split("\n")[:-1]:
            time, number, event, *rest = line.split(" ")
            us, number = round(float(time) * 1000000), int(number)
            assert us >= last, f"times go back: {line}"
            last = us
            if event == "root":
                roots.append(number)
                tasks[number] = [us, None, None, None, 0]
            elif event == "fork":
                child = int(rest[0])
                assert child not in tasks, f"{child} is there twice"
                assert tasks[number][2] is None, f"the parent of {child} has ended"
                tasks[child] = [us, None, None, None, number]
            elif event == "comm":
                tasks[number][1] = " ".join(rest)
            elif event == "exit":
                assert len(rest) == 52 and int(rest[0]) == number, f"not 52 words: {line}"
                tasks[number][2], tasks[number][3] = int(rest[51]), int(rest[9])
                assert int(rest[3]) in (tasks[number][4], 0), f"another parent: {line}"
            else:
                assert event in ("cmdline", "exited"), line
    return tasks, roots


def status_of(row):
    if row["exit_signal"]:
        return row["exit_signal"] | (128 if row["core"] else 0)
    return (row["exit_code"] or 0) << 8


def clean(name):
    return "".join("?" if c < " " or c == "\x7f" else c for c in name or "") or "?"


def main(text, rows):
    tasks, roots = read(text)
    with open(rows, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    begins = {(row["tid"], row["start_ns"]): max(row["birth_ns"] or 0, 0) // MICRO for row in rows}
    assert len(roots) == 1, f"roots {roots}"
    found = [(begin, name, status, faults or 0, tasks[above][0] if above else 0)
             for begin, name, status, faults, above in tasks.values()]
    if tasks[roots[0]][1] is None and len(tasks) == len(rows) + 1:
        del found[0]    # the root above several trees
    expected = []
    for row in rows:
        above = "leader" if row["kind"] == "thread" else "parent"
        ended = row["end_certainty"] != "open"
        expected.append((begins[row["tid"], row["start_ns"]], clean(row["comm"]), status_of(row) if ended else None,
                         row["min_flt"] or 0, begins.get((row[f"{above}_tid"], row[f"{above}_start_ns"]), 0)))
    missing, other = collections.Counter(expected), collections.Counter(found)
    missing, other = missing - other, other - missing
    print(*[f"missing: {x}" for x in list(missing)[:5]], *[f"not there: {x}" for x in list(other)[:5]], sep="\n")
    print(f"{'ok' if not missing and not other else 'differs'} {len(rows)} tasks, {sum(n > 4194304 for n in tasks)} new numbers")
    return 1 if missing or other else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
