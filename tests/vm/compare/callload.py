#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callload.py LIFETRACE FILE

No two calls of a thread of the trace overlap. Prints "key value" lines; exit status 1 when there
is a fault, or too few calls to say so.
"""
import sys

from common import Faults, print_counts
from syscalls import calls_of, counts


def main(program, path):
    faults = Faults()
    calls_of(program, path, faults, keep=False)
    faults.check(counts["known"] >= 10000, "too few calls", counts["known"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
