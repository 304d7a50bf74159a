#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: damage.py DIR

Puts damaged copies beside the traces MACHINE.lt in DIR: one that was cut, one
with a wrong checksum, one with a broken header, one in which a bit of a record is
another, with a checksum that fits, and one from after 2038, when seconds since
1970 need more than 32 bits.
"""
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

PACKET_HEADER_SIZE = 8     # where a packet says how long its header is


def place(data, number, wanted=ltfile.PACKET):
    """Offset of the file's packet, or other block, of this number."""
    at = 16
    while at < len(data):
        _, type_, _, length, _, _, _ = ltfile.HEADER.unpack_from(data, at)
        if type_ == wanted:
            if not number:
                return at
            number -= 1
        at += ltfile.HEADER.size + length
    raise ltfile.BadFile("too few blocks")


def flip(data, at, mask):
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1:]


def repaired(data, at):
    """The block at this offset, with the checksums of what it holds now."""
    magic, type_, flags, length, raw, _, _ = ltfile.HEADER.unpack_from(data, at)
    payload = data[at + ltfile.HEADER.size:at + ltfile.HEADER.size + length]
    head = ltfile.HEADER.pack(magic, type_, flags, length, raw, ltfile.crc32c(payload), 0)[:20]
    head += struct.pack("<I", ltfile.crc32c(head))
    return data[:at] + head + data[at + len(head):]


def first_record(data, at):
    payload = at + ltfile.HEADER.size
    for order in "<>":
        magic, = struct.unpack_from(order + "I", data, payload)
        if magic == ltfile.PACKET_MAGIC:
            size, = struct.unpack_from(order + "H", data, payload + PACKET_HEADER_SIZE)
            return payload + size
    raise ltfile.BadFile("no packet at %d" % at)


def late(data):
    """None of a machine that has no clock: its time begins in 1970."""
    for number in (0, 1):
        at = place(data, number, ltfile.CLOCK)
        realtime = re.compile(rb"realtime=1(?=\d{18}\b)").search(data, at)
        if not realtime:
            return None
        data = repaired(flip(data, realtime.end() - 1, ord("1") ^ ord("4")), at)
    return data


def main(directory):
    for path in sorted(directory.glob("*.lt")):
        if "-" in path.stem:
            continue
        data = path.read_bytes()
        third = place(data, 2)
        damaged = {
            "cut": data[:third + 1000],
            "crc": flip(data, third + ltfile.HEADER.size + 200, 1),
            "magic": flip(data, third, 1),
            "late": late(data),
            "flipped": repaired(flip(data, first_record(data, third) + 2, 4), third),
        }
        for name, bad in damaged.items():
            if bad:
                path.with_name("%s-%s.lt" % (path.stem, name)).write_bytes(bad)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
