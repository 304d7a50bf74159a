#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: page.py LIFETRACE PAGE TRACE...

The page of `lifetrace engines --html`: well-formed, of one file without a script, with the figures of
--json and as many tasks in its picture as there are processes. Fails, too, where it does not find faults
that are planted into the page.
"""
import html.parser
import json
import re
import subprocess
import sys

OUTSIDE = re.compile(r"https?:(?!//www\.w3\.org/2000/svg)|\bsrc\s*=|url\(|@import|<script|\son[a-z]+=", re.I)
VOID = {"meta", "link"}
ELEMENTS = VOID | set("""html head title style body header h1 h2 p nav a main section div code table caption
    thead tbody tr th td svg g rect text path""".split())


class Page(html.parser.HTMLParser):
    """Elements, and the cells of tables by their captions."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.faults, self.tables, self.titles = [], [], {}, []
        self.caption, self.table = "", None
        self.feed(text)
        self.close()
        self.faults += [f"not closed: {self.stack}"] if self.stack else []
        self.faults += OUTSIDE.findall(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS:
            self.faults.append(f"element {tag}")
        if tag == "table":
            self.caption, self.table = "", []
        if tag == "tr":
            self.table.append([])
        if tag in ("th", "td"):
            self.table[-1].append("")
        if tag == "title":
            self.titles.append("")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")
        if tag == "caption":
            self.tables[self.caption] = self.table

    def handle_data(self, data):
        at = self.stack[-1] if self.stack else None
        if at == "caption":
            self.caption += data
        elif at in ("th", "td"):
            self.table[-1][-1] += data
        elif at == "title":
            self.titles[-1] += data


def tasks_drawn(page):
    """Each bar has a title: of one task, or of several that are narrower than a point."""
    several = [re.search(r": (\d+) tasks$", title) for title in page.titles[2:]]
    return sum(int(found[1]) if found else 1 for found in several)


def plain(cell):
    return int(cell.replace(",", "")) if re.fullmatch(r"[\d,]+", cell) else None


def faults(page, rows, differences):
    found = list(page.faults)
    table = page.tables.get("What each saw of the command and all that it created", [[]])
    names = [row["engine"] for row in rows]
    if [row[0] for row in table[1:]] != names:
        found.append(f"engines {[row[0] for row in table[1:]]} instead of {names}")
        return found
    for row, cells in zip(rows, table[1:]):
        for head, key in (("processes", "processes"), ("exits", "exits"), ("no process", "missed_processes"), ("lost", "lost")):
            if plain(cells[table[0].index(head)]) != row[key]:
                found.append(f"{row['engine']}: {head} {cells[table[0].index(head)]} instead of {row[key]}")
    found += [f"column {column[0]} of nothing" for column in zip(*table) if set(column[1:]) <= {"\u2013"}]
    sums = page.tables.get("By cause", [[]])[1:]
    if sum(plain(row[-1]) for row in sums) != len(differences):
        found.append("another sum of differences")
    listed = page.tables.get("One by one", [[]])[1:]
    if len(listed) != min(len(differences), 1000):
        found.append(f"{len(listed)} differences are listed")
    if tasks_drawn(page) != rows[1]["processes"]:
        found.append(f"{tasks_drawn(page)} tasks are drawn instead of {rows[1]['processes']}")
    return found


def main():
    tool, path, *traces = sys.argv[1:]

    def run(*args):
        return subprocess.run([tool, "engines", *args, *traces], check=True, capture_output=True).stdout

    rows = [json.loads(line) for line in run("--json", "--html=" + path).splitlines()]
    differences = run("--json", "--differences").splitlines()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = faults(Page(text), rows, differences)
    if found:
        sys.exit("\n".join(found[:5]))
    number = f"{rows[0]['processes']:,}"
    for what, planted in (("a script", text.replace("<main>", "<main><script></script>")),
                          ("an address", text.replace("<main>", '<main><img src="https://x">')),
                          ("a wrong figure", text.replace(f"<td>{number}</td>", "<td>1</td>", 1)),
                          ("a bar that is missing", re.sub(r"<rect fill=[^\n]*<title>.*?</title></rect>", "", text, count=1))):
        if planted == text or not faults(Page(planted), rows, differences):
            sys.exit(f"does not find {what}")


main()
