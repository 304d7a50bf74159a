#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: pidfault.py packet TRACE NEW
       pidfault.py edge TRUTH NEW
       pidfault.py reuse LOG NEW
       pidfault.py scan FILE NEW
       pidfault.py ps FILE NEW

Plants a fault that the comparisons must see: a packet of the channel pid left
out of a trace; in a truth of tools/storm, another creator of one task; in a log
of tools/reuse, two children whose names are exchanged; of tools/pidgen-scan, a
scan believed in which two tasks were seen under one number; of lifetrace ps, a row
that says to have been started 10 ms later.
"""
import json
import sys

import ltfile
from pidtree import HEADER, RECORD

CHANNEL_PID = 2
CLASS_BIRTH = 0		# the first class of that channel


def drop_packet(source, target):
    """Of all but the first and the last that with the most births: some hold next to nothing."""
    head, blocks = ltfile.read(source)
    births, before = {}, {}
    for n, block in enumerate(blocks):
        packet = ltfile.Packet(block.payload) if block.type == ltfile.PACKET else None
        if not packet or packet.channel != CHANNEL_PID:
            continue
        seen = packet.counts(CLASS_BIRTH)[0]
        births[n] = seen - before.get(packet.cpu, 0)
        before[packet.cpu] = seen
    packets = sorted(births)
    del blocks[max(packets[1:-1] or packets, key=births.get)]
    ltfile.write(target, head, blocks)


def change_edge(source, target):
    with open(source, "rb") as f:
        data = bytearray(f.read())
    count = HEADER.unpack_from(data)[2]
    at = HEADER.size + count // 2 * RECORD.size
    values = list(RECORD.unpack_from(data, at))
    values[1] = values[1] - 1 if values[1] else 1
    RECORD.pack_into(data, at, *values)
    with open(target, "wb") as f:
        f.write(data)


def exchange_names(source, target):
    with open(source) as f:
        lines = [json.loads(line) for line in f]
    born = [e for e in lines if e["what"] == "born" and e["level"] == 1]
    a, b = born[len(born) // 2:][:2]
    a["numbers"], b["numbers"] = b["numbers"], a["numbers"]
    with open(target, "w") as f:
        f.writelines(json.dumps(e) + "\n" for e in lines)


def believe_scan(source, target):
    """The first scan that saw a change ends in the generation in which it began."""
    with open(source, errors="replace") as f:
        lines = f.readlines()
    last = None
    for n, line in enumerate(lines):
        words = line.split()
        if words[0] == "scan":
            last = n
        elif words[0] == "saw" and len(words) == 6 and words[3][0] == words[5][0] == "c":
            scan = lines[last].split()
            scan[2] = scan[1]
            lines[last] = " ".join(scan) + "\n"
            break
    with open(target, "w") as f:
        f.writelines(lines)


def change_row(source, target):
    with open(source) as f:
        lines = f.readlines()
    n = next(n for n, line in enumerate(lines) if '"proven":true' in line and '"comm":"c' in line)
    row = json.loads(lines[n])
    row["start_ns"] += 10_000_000
    lines[n] = json.dumps(row) + "\n"
    with open(target, "w") as f:
        f.writelines(lines)


if __name__ == "__main__":
    how = {"packet": drop_packet, "edge": change_edge, "reuse": exchange_names,
           "scan": believe_scan, "ps": change_row}
    if len(sys.argv) != 4 or sys.argv[1] not in how:
        raise SystemExit(__doc__)
    how[sys.argv[1]](*sys.argv[2:])
