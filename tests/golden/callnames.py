#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: callnames.py RARE OUT

Writes a copy of a trace of rare.c in which the lines about functions are others: one function is
not described, one has a value that its records lack, and some values have names that are no
identifiers, keywords of CTF, or equal names, also but for a '_' in front, or a name that
does not fit the value.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

FUNCTIONS = 19
CHANGES = (
    (b"function\t3\t", b"later\t3\t"), (b"counts\t3\t", b"later\t3\t"),
    (b"value\t20\tv4\tentry\tbytes\t4\t", b"value\t20\tv4\tentry\tbytes\t9\t"),
    (b"value\t41\tv1\t", b"value\t41\tv0\t"),
    (b"value\t42\tv1\t", b"value\t42\tp->in.numbers[3]\t"),
    (b"value\t42\tv2\t", b"value\t42\tp->in.numbers.3\t"), (b"value\t42\tv3\t", b"value\t42\t*\t"),
    (b"value\t42\tv4\t", b"value\t42\tstring\t"), (b"value\t42\tv5\t", b"value\t42\t_x\t"),
    (b"value\t42\tv6\t", b"value\t42\tx\t"), (b"value\t42\tv0\t", b"value\t42\t7x\t"),
    (b"enum\tkind\tKIND_ONE\t1\n", b"enum\tkind\tKIND_ONE\t1\nenum\tkind\tKIND_HUGE\t0x100000001\n"),
)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    head, blocks = ltfile.read(sys.argv[1])
    done = set()
    for n, block in enumerate(blocks):
        if block.type != FUNCTIONS:
            continue
        text = block.payload
        for old, new in CHANGES:
            if old in text:
                text = text.replace(old, new)
                done.add(old)
        blocks[n] = block.replace(text)
    if len(done) != len(CHANGES):
        raise SystemExit("callnames: not in the trace: %s" % sorted(set(dict(CHANGES)) - done))
    ltfile.write(sys.argv[2], head, blocks)


if __name__ == "__main__":
    main()
