#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: symbols.py TRACE EVENTS.JSON OUT

Writes a trace again with only those lines of its symbols that its events need: a
kernel has 50,000 functions, a small trace names 300 of them. EVENTS.JSON is the output
of `lifetrace dump --json TRACE`. Every other block stays as it is, byte for byte; the
index and the trailer have the new places.
"""
import bisect
import re
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

SYMBOLS = 6
TRAILER = struct.Struct("<4Q")


def zstd(data, *options):
    return subprocess.run(["zstd", "-qc", *options], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def needed(text, addresses):
    """The lines that addresses resolve to, and those behind, where such a symbol ends."""
    lines = text.splitlines()
    order = sorted(range(len(lines)), key=lambda n: (int(lines[n].split()[0], 16), n))
    starts = [int(lines[n].split()[0], 16) for n in order]
    keep = set()
    for address in addresses:
        at = bisect.bisect_right(starts, address)
        if not at:
            continue
        first = bisect.bisect_left(starts, starts[at - 1])
        keep.update(order[first:at + 1])
    return "".join(lines[n] + "\n" for n in sorted(keep))


def smaller(block, addresses):
    kept = needed(block.payload.decode(), addresses).encode()
    return ltfile.Block(block.type, ltfile.ZSTD, zstd(kept, "-19"), len(kept))


def main(trace, events, out):
    with open(events, encoding="utf-8") as f:
        addresses = {int(a, 16) for a in re.findall(r'"0x([0-9a-f]+)"', f.read())}
    head, blocks = ltfile.read(trace)
    moved, at, was, index_at = {}, len(head), len(head), 0
    with open(out, "wb") as f:
        f.write(head)
        for block in blocks:
            length = ltfile.HEADER.size + len(block.stored)
            moved[was] = at
            was += length
            if block.type == SYMBOLS:
                block = smaller(block, addresses)
            elif block.type == ltfile.INDEX:
                entries = ltfile.INDEX_ENTRY.iter_unpack(block.payload)
                block = block.replace(b"".join(ltfile.INDEX_ENTRY.pack(moved[e[0]], *e[1:]) for e in entries))
                index_at = at
            elif block.type == ltfile.TRAILER:
                rest = TRAILER.unpack(block.payload)[1:]
                block = block.replace(TRAILER.pack(index_at, *rest))
            data = block.encode()
            f.write(data)
            at += len(data)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
