#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py [--base MODE] [--json OUT.json] SAMPLES... - print measurements as tables

A line of SAMPLES is GROUP MODE UNIT VALUE, one for each repeat; its words are
separated by white space. "-" as a file is standard input. Other lines:

    # TEXT                       ignored
    base GROUP MODE              what the ratios of GROUP are to; "-": no ratios
    note GROUP MODE TEXT...      what could not be measured, and why; printed below
                                 the table of GROUP

For each GROUP there is a table of its modes, in the order in which they first
appear: median, smallest and largest value, number of values, and the ratio of
the median to that of the base mode in the same unit. The base of a group is MODE
where the group has it, then what a line of the file says, then its first mode.
"""

import argparse
import json
import statistics
import sys


class Group:
    def __init__(self, name):
        self.name = name
        self.values = {}   # (mode, unit): [value]
        self.notes = []    # (mode, text)
        self.stated = None

    def base(self, wanted):
        modes = [mode for mode, _ in self.values]
        if self.stated == "-":
            return None
        for mode in (wanted, self.stated):
            if mode in modes:
                return mode
        return next(iter(modes), None)

    def rows(self, base):
        for (mode, unit), values in self.values.items():
            median = statistics.median(values)
            against = self.values.get((base, unit))
            reference = statistics.median(against) if against else 0
            yield {"mode": mode, "unit": unit, "median": median, "min": min(values),
                   "max": max(values), "n": len(values),
                   "ratio": median / reference if reference else None}


def read(lines, groups, name):
    def group(key):
        return groups.setdefault(key, Group(key))

    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "note" and len(words) >= 4:
            note = (words[2], line.split(None, 3)[3].strip())
            if note not in group(words[1]).notes:
                group(words[1]).notes.append(note)
            continue
        if words[0] == "base" and len(words) == 3:
            group(words[1]).stated = words[2]
            continue
        try:
            key, mode, unit, value = words
            value = float(value)
        except ValueError:
            sys.exit(f"table.py: {name}:{number}: not GROUP MODE UNIT VALUE: {line.rstrip()}")
        group(key).values.setdefault((mode, unit), []).append(value)


def number(value):
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def cells(row):
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.3f}"
    return (row["mode"], row["unit"], number(row["median"]),
            f"{number(row['min'])}..{number(row['max'])}", str(row["n"]), ratio)


def print_group(group, base):
    print(f"\n{group.name}")
    if group.values:
        table = [("mode", "unit", "median", "min..max", "n", f"÷ {base}" if base else "")]
        table += [cells(row) for row in group.rows(base)]
        widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
        for line in table:
            left = [line[i].ljust(widths[i]) for i in (0, 1)]
            right = [line[i].rjust(widths[i]) for i in range(2, len(line))]
            print("  " + "  ".join(left + right).rstrip())
    for mode, text in group.notes:
        print(f"  {mode}: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", help="the mode that the ratios are to")
    parser.add_argument("--json", help="write the same here")
    parser.add_argument("samples", nargs="+")
    options = parser.parse_args()

    groups = {}
    for path in options.samples:
        if path == "-":
            read(sys.stdin, groups, path)
            continue
        with open(path, encoding="utf-8") as file:
            read(file, groups, path)
    if not any(group.values or group.notes for group in groups.values()):
        sys.exit("table.py: no samples")

    result = []
    for group in groups.values():
        base = group.base(options.base)
        print_group(group, base)
        result.append({"group": group.name, "base": base, "modes": list(group.rows(base)),
                       "notes": [{"mode": m, "text": t} for m, t in group.notes]})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1, ensure_ascii=False)
            file.write("\n")


main()
