#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: metrics.py N METRICS SITES CACHES PARSERS

METRICS, as `lifetrace top --metrics` has written it with --number=N, has the figures of SITES and CACHES, which `top
--once --json` has: each row that is named, the sum of the others, and the sums; at most N rows of a kind; and
each of PARSERS (promtool, prometheus_client), words, reads it.
"""
import json
import re
import subprocess
import sys

FIGURES = {"live_bytes": "alive_bytes", "live_objects": "alive", "unsure_bytes": "maybe_alive_bytes",
           "allocations_total": "allocations", "frees_total": "frees"}
GAUGES = ("live_bytes", "live_objects", "unsure_bytes")
LINE = re.compile(r'^lifetrace_([a-z_]+)(?:\{([a-z]+)="((?:[^"\\]|\\["\\n])*)"\})? ([0-9.]+)$')


def read(path):
    """{name: {label: value}}; label None for a figure of all."""
    found = {}
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines.pop() == "# EOF", "the last line"
    for line in lines:
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        match = LINE.match(line)
        assert match, line
        name, _, label, value = match.groups()
        label = label and re.sub(r"\\(.)", r"\1", label)
        row = found.setdefault(name, {})
        assert label not in row, f"{name} {label} is there twice"
        row[label] = float(value)
    return found


def unescaped(text):
    """What both have: JSON has bytes that are no text as \\xHH, and a backslash twice."""
    return text.replace("\\\\", "\\")


def compare(found, by, table, most):
    names = {}
    for row in table["rows"]:
        names.setdefault(unescaped(row[by] or ""), []).append(row)
    for figure, column in FIGURES.items():
        values = dict(found.get(f"{by}_{figure}", {}))
        others = values.pop("(others)", 0)
        assert len(values) <= most, f"{len(values)} rows of {by}"
        for label, value in values.items():
            rows = names.get(unescaped(label))
            assert rows, f"{by} {label} is not in the table"
            assert value in [row[column] for row in rows], f"{by}_{figure} {label}: {value}, expected {rows}"
        if figure in GAUGES and values:
            assert sum(values.values()) + others == table[column], f"{by}_{figure}: the sum is another"
        assert found[figure][None] == table[column], f"{figure}: {found[figure]}, expected {table[column]}"
    assert table["total_rows"] == 0 or found.get(f"{by}_live_bytes"), f"no {by}"


def main(most, path, sites, caches, parsers):
    found = read(path)
    for by, file in ("site", sites), ("cache", caches):
        with open(file, encoding="utf-8") as text:
            compare(found, by, json.load(text), int(most))
    if "promtool" in parsers.split():
        with open(path, "rb") as file:
            subprocess.run(["promtool", "check", "metrics"], stdin=file, check=True)
    if "prometheus_client" in parsers.split():
        from prometheus_client.parser import text_string_to_metric_families
        with open(path, encoding="utf-8") as file:
            families = list(text_string_to_metric_families(file.read()))
        count = sum(len(family.samples) for family in families)
        assert count == sum(len(rows) for rows in found.values()), f"the parser reads {count} figures"


if __name__ == "__main__":
    main(*sys.argv[1:])
