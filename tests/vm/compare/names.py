#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: names.py TOOL TRACE NAMES DIRECTORY

Names that are meant for who reads the trace (tools/hostile-names, whose output is NAMES) reach no terminal, no
page and no parser: all that TOOL prints of TRACE, and exports to DIRECTORY, has the form that it has of other traces.
"""
import csv
import html.parser
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

from common import Faults

tool, trace, names_file, directory = sys.argv[1:]
faults = Faults()
checked = 0

names = [bytes.fromhex(line) for line in open(names_file).read().split()]
# Nothing to see for a reader, but for the terminal: controls, and what changes the order of letters.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def run(*words, allow=(0,)):
    done = subprocess.run([tool, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    faults.check(done.returncode in allow, "status", f"{words}: {done.returncode}: {done.stderr[-300:]!r}")
    clean([*words, "messages"], done.stderr)
    return done.stdout


def clean(what, data, tabs=False):
    """The text of bytes that a terminal may get."""
    global checked
    checked += 1
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        faults.add("not UTF-8", f"{what}: {e}: {data[max(0, e.start - 40):e.end + 40]!r}")
        text = data.decode(errors="replace")
    if not tabs and "\t" in text:
        faults.add("tab", f"{what}: {text[max(0, text.index(chr(9)) - 40):][:80]!r}")
    for m in list(UNSEEN.finditer(text))[:3]:
        faults.add("control", f"{what}: {text[max(0, m.start() - 40):m.end() + 40]!r}")
    return text


def plain(text):
    """The bytes of a name in our JSON, in which a backslash is two, and a byte that is no text \\xHH."""
    return re.sub(rb"\\(\\|x[0-9a-f]{2})", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]),
                  text.encode())


def rows_of_csv(what, text, delimiter=","):
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    faults.check({len(r) for r in rows} == {len(rows[0])}, "columns", f"{what}: {sorted({len(r) for r in rows})}")
    return rows


def commands():
    texts = [["report"], ["report", "alive"], ["leaks", "--older=1us"], ["memory"], ["advice"], ["lifetimes"],
             ["tasks"], ["tree"], ["hazards"], ["syscalls"], ["syscalls", "--summary"], ["syscalls", "--tree"],
             ["syscalls", "-y"], ["info"],
             ["verify"], ["dump"], ["plot"], ["report", "--by=syscall"], ["report", "--by=stack"]]
    texts += [["report", "-n", "0", "--by=" + by] for by in ("task", "process", "cgroup", "cache")]
    for words in texts:
        clean(words, run(*words, trace))
        clean([*words, "wide"], run(*words, "--width=0", trace)) if words[0] not in ("verify", "plot") else None
    for words in (["lifetimes"], ["tasks"], ["syscalls"], ["report", "-n", "0"], ["leaks"]):
        rows_of_csv(words, clean([*words, "--csv"], run(*words, "--csv", trace)))
    for words in (["lifetimes"], ["tasks"], ["tree"], ["syscalls"], ["dump"], ["report", "-n", "0"], ["leaks"],
                  ["info"], ["hazards"], ["memory"], ["advice"]):
        text = clean([*words, "--json"], run(*words, "--json", trace))
        try:
            json.loads(text)
        except ValueError:
            for line in text.splitlines():
                json.loads(line)
    clean("diff", run("diff", trace, trace, allow=(0, 1)))
    # A name that is not there is repeated to who asked.
    for name in names:
        run("report", b"--task=" + name + b"z", trace, allow=(0, 1, 2))


def are_there():
    """The names are in the trace: else nothing was looked at."""
    found = {plain(json.loads(line)["comm"] or "") for line in run("tasks", "--json", trace).splitlines()}
    for name in names:
        faults.check(name in found, "a name is missing", name)
    paths = run("syscalls", "--json", trace)
    faults.check(paths.count(b"</script><b>") > 3, "no paths", paths.count(b"</script>"))


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.inside, self.scripts = [], 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.inside.append(tag)
        for key, value in attrs:
            faults.check(not key.startswith("on"), "attribute", f"{tag} {key}={value}")

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "b":
            faults.check(data.strip() != "hostile", "element", data[:80])
        self.inside = self.inside[-1:]

    def handle_comment(self, data):
        faults.add("comment", data[:80])


def page():
    path = os.path.join(directory, "names.html")
    run("html", "-q", "-o", path, trace)
    text = clean("html", open(path, "rb").read(), tabs=True)
    parser = Page()
    parser.feed(text)
    parser.close()
    faults.check(parser.scripts == text.count("</script>"), "scripts", text.count("</script>"))


def export(name, *words):
    path = os.path.join(directory, "names." + name)
    run("export", "-q", "--format=" + name, "-o", path, *words, trace)
    return path


def exports():
    # The levels are those asked for, whatever is in a name.
    text = clean("collapsed", open(export("collapsed", "--levels=task,cgroup", "--metric=churn"), "rb").read())
    for line in text.splitlines():
        faults.check(re.fullmatch(r"[^;]+;[^;]+ \d+", line), "levels", line)
    xml.etree.ElementTree.parse(export("flamegraph", "--levels=task,cache", "--metric=churn"))
    clean("flamegraph", open(os.path.join(directory, "names.flamegraph"), "rb").read(), tabs=True)
    json.loads(clean("dhat", open(export("dhat", "--levels=task,cache"), "rb").read(), tabs=True))
    for line in clean("heaptrack", open(export("heaptrack"), "rb").read()).splitlines():
        faults.check(re.fullmatch(r"[a-zA-Z#+-]( .*)?", line), "heaptrack", line)
    db = sqlite3.connect(":memory:")
    db.executescript(clean("sql", open(export("sql"), "rb").read()))
    for table, in list(db.execute("select name from sqlite_master where type = 'table'")):
        rows = list(db.execute(f"select * from {table}"))
        for value in {v for row in rows for v in row if isinstance(v, str)}:
            faults.check(not UNSEEN.search(value) and "\t" not in value, "sql", f"{table}: {value!r}")
    found = {name for name, in db.execute("select comm from task")}
    faults.check("x' OR '1'='1" in found, "sql", "a name is not as it was")
    folder = export("clickhouse", "--tables=site_minute,task,lifetime,syscall,request")
    for path, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".tsv"):
                what = os.path.join(path, name)
                text = clean(what, open(what, "rb").read(), tabs=True)
                columns = {line.count("\t") for line in text.split("\n")[:-1]}
                faults.check(len(columns) == 1, "columns", f"{what}: {columns}")
    for name in ("perfetto", "pprof", "ctf", "parquet"):
        export(name)


are_there()
commands()
page()
exports()
print("names", len(names))
print("outputs", checked)
faults.print()
sys.exit(1 if faults.total or len(names) < 20 or checked < 60 else 0)
