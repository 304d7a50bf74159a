#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: damage.py HOW FILE COPY

Writes a copy of a trace file with one fault and right checksums, index and
trailer: what is then wrong is the content alone, of the channel kmem.

  none       the same content: what finds a fault here would find one anywhere
  packet     a packet from the middle of a stream is missing
  seen       a class has seen one event more, from the middle of a stream on
  hidden     one event less was lost, and the sum of losses agrees
  record     the last record of a packet is missing
  swapped    two packets of a stream have changed their numbers
  address    some kfree, all over a stream, are of other addresses: one alone may be
             of an object that nobody looks at
"""
import sys

import ltfile

CONTENT_BITS, PACKET_BITS, DISCARDED, SEQ = 48, 56, 64, 24
ADDRESS_SIZE = 5
PARTS = 16


def put64(data, offset, value):
    """A field of the packet's header."""
    data[offset:offset + 8] = ltfile.Packet(data).number(value, 8)


def longest_stream(blocks):
    """The numbers of the blocks of the stream of kmem with the most packets."""
    streams = {}
    for n, b in enumerate(blocks):
        p = ltfile.Packet(b.payload) if b.type == ltfile.PACKET else None
        if p and p.channel == ltfile.KMEM:
            streams.setdefault(p.cpu, []).append(n)
    stream = max(streams.values(), key=len)
    if len(stream) < 3:
        raise SystemExit("only %d packets in a stream: too few" % len(stream))
    return stream


def change_counts(blocks, numbers, seen, lost_full):
    """Add to the counters of the first class that has both, from there on."""
    for n in numbers:
        data = bytearray(blocks[n].payload)
        for c in range(ltfile.N_CLASSES):
            at = ltfile.COUNTS_OFFSET + c * ltfile.COUNTS_SIZE
            counts = ltfile.Packet(data).counts(c)
            if counts[0] and (counts[1] or not lost_full):
                put64(data, at, counts[0] + seen)
                put64(data, at + 8, counts[1] + lost_full)
                put64(data, DISCARDED, ltfile.Packet(data).discarded + lost_full)
                break
        else:
            raise SystemExit("no class has lost events")
        blocks[n] = blocks[n].replace(bytes(data))


def without_last_record(block, schema):
    p = ltfile.Packet(block.payload)
    # Where the last record begins is where the one before it ends.
    ends = [at + schema.sizes[id_] for id_, _, _, at in p.records(schema)]
    size = ends[-2]
    data = bytearray(block.payload[:size])
    put64(data, CONTENT_BITS, size * 8)
    put64(data, PACKET_BITS, size * 8)
    return block.replace(bytes(data))


def change_address(blocks, numbers, schema):
    """Of one kfree in each of some parts of a stream."""
    found = [(n, at + schema.offsets[id_]["ptr"]) for n in numbers
             for id_, _, _, at in ltfile.Packet(blocks[n].payload).records(schema)
             if schema.events[id_] == "kfree"]
    if not found:
        raise SystemExit("no kfree in the stream")
    for part in range(PARTS):
        n, at = found[len(found) * (2 * part + 1) // (2 * PARTS)]
        data = bytearray(blocks[n].payload)
        data[at + ADDRESS_SIZE - 1 if ltfile.Packet(data).is_big else at] ^= 8
        blocks[n] = blocks[n].replace(bytes(data))


def main(how, source, target):
    head, blocks = ltfile.read(source)
    stream = longest_stream(blocks)
    middle = len(stream) // 2
    n = stream[middle]
    schema = ltfile.Schema(next(b.payload for b in blocks if b.type == ltfile.SCHEMA))
    if how == "packet":
        del blocks[n]
    elif how == "seen":
        change_counts(blocks, stream[middle:], 1, 0)
    elif how == "hidden":
        change_counts(blocks, stream[middle:], 0, -1)
    elif how == "record":
        blocks[n] = without_last_record(blocks[n], schema)
    elif how == "swapped":
        pair = (n, stream[middle + 1])
        numbers = [ltfile.Packet(blocks[i].payload).seq for i in pair]
        for i, number in zip(pair, reversed(numbers)):
            data = bytearray(blocks[i].payload)
            put64(data, SEQ, number)
            blocks[i] = blocks[i].replace(bytes(data))
    elif how == "address":
        change_address(blocks, stream, schema)
    elif how != "none":
        raise SystemExit(__doc__)
    ltfile.write(target, head, blocks)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
