#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: columns.py FILE...

Reports a second list of the columns of a kind of row. What the columns are, their order and their
types stands in user/lib/rows alone; Documentation/rows-tables.rst, which a test compares with that,
has their names. A list is MANY different names of one kind that follow each other, as texts of C or
as words of a document. Questions in SQL name the columns that they ask for, and are not looked at.
"""
import re
import sys

MANY = 8
TABLES = "Documentation/rows-tables.rst"
# A line of a table of columns: its name, and not its meaning.
DECLARED = re.compile(r'[A-Z]+\(\w+, "(\w+)", [A-Z"]')


def kinds():
    """The names of columns by kind of row."""
    found, kind, before = {}, None, ""
    with open(TABLES, encoding="utf-8") as file:
        for line in file:
            if re.fullmatch(r"=+\n", line):
                kind = before.strip()
            name = re.match(r"   \* - (\w+)$", before)
            if name and line != "     - unit\n":  # otherwise it is the head of a table
                found.setdefault(kind, set()).add(name[1])
            before = line
    return found


def runs_of_c(text, names):
    """These names, as texts in quotes that follow each other in an initialiser, each with its line."""
    run = []
    for number, line in enumerate(text.splitlines(), 1):
        words = DECLARED.findall(line) or re.findall(r'"(\w+(?:,\w+)*)"', line)
        for name in ",".join(words).split(","):
            if name in names:
                run.append((number, name))
            elif name:
                yield run
                run = []
        if "}" in line and ";" in line:
            yield run
            run = []
    yield run


def runs_of_rst(text):
    """The words of paragraphs, each with its line."""
    run = []
    for number, line in enumerate(text.splitlines() + [""], 1):
        run += [(number, re.sub(r"[,;.`]", "", word)) for word in line.split()]
        if not line.strip():
            yield run
            run = []


def lists(path, text, names):
    """The first line, and the length, of each list of these names."""
    is_c = path.endswith((".c", ".h"))
    for run in runs_of_c(text, names) if is_c else runs_of_rst(text):
        have = {name for _, name in run if name in names}
        # A paragraph of other words that names some columns, or the columns of another kind.
        if len(have) >= MANY and (is_c or len(have) >= 0.9 * len(run)):
            yield next(number for number, name in run if name in names), len(have)


def main(paths):
    table = kinds()
    if len(table) < 6:
        sys.exit(f"{TABLES}: expected six kinds of rows, found {sorted(table)}")
    for path in paths:
        if path.startswith("user/lib/rows/") or path == TABLES:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for kind, names in table.items():
            for number, count in lists(path, text, names):
                print(f"{path}:{number}: a second list of {count} columns of the kind of row '{kind}': "
                      "take them from user/lib/rows")


if __name__ == "__main__":
    main(sys.argv[1:])
