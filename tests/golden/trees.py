#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: trees.py TOOL TRACE...

`tree --task`, `--from` and `--to` print the tasks of the whole tree that a filter here keeps, and
what is above them; `tasks` with the same options prints the tasks that are kept, and no others.
Prints what differs; the last line is "N passed, N failed"."""
import re
import subprocess
import sys

TOOL = sys.argv[1]
NODE = re.compile(r"( *)[\[(](\d+)[\])] (.*?) start=(-?[\d.]+)(?: end=(-?[\d.]+))?")
passed = failed = 0


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=False)


def nodes(text):
    """(indent, tid, names, start, end) of each line of a task."""
    for line in text.splitlines():
        found = NODE.match(line)
        if found:
            indent, tid, names, start, end = found.groups()
            yield len(indent), int(tid), names, float(start), float(end) if end else None


def key(node):
    return node[1], node[3]


def kept(node, name, since, until):
    _, tid, names, start, end = node
    words = names.split(" ")
    if name and name not in (str(tid), words[0], words[-1], words[-1].rsplit("/", 1)[-1]):
        return False
    if until is not None and start >= until:
        return False
    return since is None or end is None or end >= since


def check(what, expected, found):
    global passed, failed
    if expected == found:
        passed += 1
        return
    failed += 1
    print(f"{what}: missing {sorted(expected - found)[:3]}, too many {sorted(found - expected)[:3]}")


def compare(path, whole, name, since, until):
    args = []
    if name:
        args += ["--task", name]
    if since is not None:
        args += [f"--from={since:.6f}"]
    if until is not None:
        args += [f"--to={until:.6f}"]
    picked, wanted, above = set(), set(), []
    for node in whole:
        del above[next((i for i, up in enumerate(above) if up[0] >= node[0]), len(above)):]
        above.append(node)
        if kept(node, name, since, until):
            picked.add(key(node))
            wanted.update(key(up) for up in above)
    found = {key(node) for node in nodes(run("tree", "--threads", *args, path).stdout)}
    check(f"{path}: tree {args}", wanted, found)
    lines = run("tasks", *args, path).stdout.splitlines()
    tids = sorted(int(line.split()[1]) for line in lines if re.match(r" *(-|-?[\d.]+) +\d+ ", line))
    check(f"{path}: tasks {args}", set(sorted(tid for tid, _ in picked)), set(tids))
    check(f"{path}: tasks {args}: how many", {len(picked)}, {len(tids)})


def main():
    for path in sys.argv[2:]:
        whole = list(nodes(run("tree", "--threads", path).stdout))
        # Half a microsecond beside a printed time, which is rounded.
        times = sorted({node[3] for node in whole if node[3] > 0} |
                       {node[4] for node in whole if node[4] is not None})
        middle, late = times[len(times) // 3] + 4e-6, times[2 * len(times) // 3] + 4e-6
        names = sorted({node[2].split(" ")[0] for node in whole
                        if " " in node[2] and node[2][0] != '"'})[:6]
        for name in [None, *names, str(whole[-1][1])]:
            for since, until in ((None, None), (middle, None), (None, late), (middle, late)):
                if name or since or until:
                    compare(path, whole, name, since, until)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or not passed


sys.exit(main())
