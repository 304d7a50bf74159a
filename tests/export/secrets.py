#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: secrets.py FORMAT LIFETRACE TRACE DIR

Addresses of programs leave by an export of TRACE with --addresses alone. Which they are is read
from the registers of `syscalls --csv`: what mmap() returned, its and other calls' numbers from
65536 on, and the user_data of requests from there on. Prints what is wrong. Exit status: 1 if
anything is.
"""

import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from names import table_names  # noqa: E402

LOWEST = 65536


def addresses(lifetrace, trace):
    """The texts of addresses that are in the trace, of which each format writes one or the other."""
    text = subprocess.run([lifetrace, "syscalls", "--csv", trace], check=True, capture_output=True,
                          text=True).stdout
    found = set()
    for row in csv.DictReader(text.splitlines()):
        if row["name"] == "mmap" and not row["error"]:
            found.add((row["result"], hex(int(row["result"]))))
        for n in range(6):
            word = row["arg%d" % n]
            # Flags, sizes and -1 of a descriptor are no addresses; those that are, are wider.
            if word and 1 << 32 <= int(word, 16) < 1 << 63:
                found.add((word, word))
    return found


def content(path):
    """All bytes of a file, or of the files of a folder."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return file.read()
    return b"".join(content(entry.path) for entry in sorted(os.scandir(path), key=lambda e: e.name))


def main():
    kind, lifetrace, trace, work = sys.argv[1:]
    wrong = 0
    secrets = addresses(lifetrace, trace)
    if len(secrets) < 3:
        sys.exit("%s: only %d addresses, so nothing is shown" % (trace, len(secrets)))
    for option in ([], ["--addresses"]):
        path = os.path.join(work, "secrets-%s%d" % (kind, len(option)))
        subprocess.run(["rm", "-rf", path], check=True)
        tables = ["--tables=" + ",".join(table_names(lifetrace))] if kind in ("clickhouse", "parquet") else []
        subprocess.run([lifetrace, "export", "-q", "--format", kind, "-o", path] + tables + option +
                       [trace], check=True)
        data = content(path)
        if kind == "sqlite":  # numbers are not text there
            data = subprocess.run(["sqlite3", path, ".dump"], capture_output=True, check=True).stdout
        for texts in secrets:
            seen = any(text.encode() in data for text in texts)
            if seen != bool(option):
                wrong += 1
                print("%s %s: %s is %s" % (kind, " ".join(option), texts[0],
                                           "there" if seen else "missing"))
    sys.exit(1 if wrong else 0)


main()
