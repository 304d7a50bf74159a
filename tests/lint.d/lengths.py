#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: lengths.py FILE...

Prints functions of C of more than 60 lines, with their heads, and files of more than 600. In the
kernel's style the brackets of a function stand alone at the beginning of a line.
"""

import sys

FUNCTION = 60
FILE = 600


def head(lines, at):
    """The first line of the head of the function whose bracket is line @at."""
    while at and lines[at - 1].strip() and not lines[at - 1].startswith(("#", "}", "\f")) \
            and not lines[at - 1].rstrip().endswith(("*/", ";")):
        at -= 1
    return at


def functions(lines):
    """(first line, last line, text of the head) of each function, counted from 0."""
    begin = None
    for at, line in enumerate(lines):
        if line == "{":
            begin = at
        elif line == "}" and begin is not None:
            first = head(lines, begin)
            yield first, at, " ".join(lines[first:begin]).split("(")[0].split()[-1].lstrip("*")
            begin = None


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        if len(lines) > FILE:
            print(f"{path}:{len(lines)}: the file has {len(lines)} lines, and {FILE} are the most")
        for first, last, name in functions(lines):
            n = last - first + 1
            if n > FUNCTION:
                print(f"{path}:{first + 1}: {name} has {n} lines, and {FUNCTION} are the most")


if __name__ == "__main__":
    main()
