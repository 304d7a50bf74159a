#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: rows.py rows|columns|stream KIND FILE...

Prints the rows of traces as CSV by the module lifetrace, as the commands do: row by row; by numpy; or by pyarrow.
"""
import re
import sys

import lifetrace

PLAIN = re.compile(r'[ !#-+\--\[\]-~]*')


def cell(value, column):
    if value is None:
        return ""
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else '"' + value.replace('"', '""') + '"'
    return hex(value) if column.hex else f"{value:.3f}" if isinstance(value, float) else str(value)


def by_columns(rows):
    columns = []
    for name, c in rows.columns().items():
        assert name == c.info.name
        columns.append(c.texts() if c.labels is not None else
                       [v if k else None for v, k in zip(c.values.tolist(), c.known.tolist())])
    return zip(*columns)


def by_stream(rows):
    import pyarrow

    table = pyarrow.table(rows)
    table.validate(full=True)
    return zip(*[table.column(i).to_pylist() for i in range(table.num_columns)])


def main(how, kind, *paths):
    with lifetrace.open(*paths) as trace:
        rows = trace.rows(kind, addresses=True, requests=True)
    info, out = rows.info, [",".join(rows.names)]
    for row in {"rows": iter, "columns": by_columns, "stream": by_stream}[how](rows):
        out.append(",".join(map(cell, row, info)))
    sys.stdout.buffer.write(("\n".join(out) + "\n").encode())


try:
    main(*sys.argv[1:])
except lifetrace.Error as error:
    sys.exit(f"rows.py: {error}")
