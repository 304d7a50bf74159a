#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: forms.py LIFETRACE TRACE

Every form of every table is read by what it is for, and has the same rows and columns.
"""
import csv, json, sqlite3, subprocess, sys

tool, golden = sys.argv[1:]
commands = [["report"], ["report", "--by=task"], ["leaks"], ["advice"], ["lifetimes"], ["tasks"], ["tree"],
            ["hazards"], ["check", "-e", "alive<1"], ["diff", "--from=-300ms", "--to=-10ms"],
            ["history", "0xffff888103a1c840"], ["top", "--once"], ["top", "--once", "--by=task"]]


def output(command, form):
    args = [tool, *command, "--format=" + form, golden]
    done = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{args}: {done.stderr.decode()}")
    return done.stdout


for command in commands:
    listed = output(command + ["--columns=help"], "csv").decode().splitlines()
    assert listed[0] == "name,type,meaning" and all(len(row) == 3 and all(row) for row in csv.reader(listed)), command
    rows = list(csv.reader(output(command, "csv").decode().splitlines()))
    lines = [json.loads(line) for line in output(command, "jsonl").decode().splitlines()]
    tabs = [line.split("\t") for line in output(command, "tsv").decode().split("\n")[:-1]]
    db = sqlite3.connect(":memory:")
    db.executescript(output(command, "sql").decode())
    table = db.execute("SELECT name FROM sqlite_master").fetchone()[0]
    cursor = db.execute(f'SELECT * FROM "{table}"')
    cells = cursor.fetchall()
    assert rows[0] == tabs[0] == [d[0] for d in cursor.description], command
    assert len(rows) - 1 == len(lines) == len(tabs) - 1 == len(cells), command
    for text, line, tab, cell in zip(rows[1:], lines, tabs[1:], cells):
        for name, c, t, q in zip(rows[0], text, tab, cell):
            value = line.get(name)
            assert (value is None) == (t == "\\N") == (q is None), (command, name, c, t, q)
            if isinstance(value, (int, float)):
                assert float(c) == float(t) == float(q), (command, name, c, t, q)
            elif value is not None:
                assert q == c, (command, name, c, q)
    chosen = rows[0][:2][::-1]
    some = list(csv.reader(output(command + ["--columns=" + ",".join(chosen)], "csv").decode().splitlines()))
    assert some == [row[:2][::-1] for row in rows], command
    one = output(command + ["--columns=" + ",".join(chosen)], "text").decode()
    assert len(one.splitlines()) >= min(len(rows), 10), (command, one)
