#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: plant.py HOW FILE COPY [TIME CPU]

Writes a copy of FILE with one fault, which a comparison or `lifetrace verify` has to
see. HOW, where FILE is a trace and the fault is in the channel kmem; checksums, index
and trailer are right, so that only the contents are wrong:

  none        no fault: a comparison that sees one here would see one anywhere
  packet      a packet is missing: that from the middle of a stream, or that of CPU in which TIME is
              (units of the trace's clock)
  seen        a class has seen one event more, from the middle of a stream on
  lost        a class has lost one event, from the middle of a stream on, and says so
  hidden      one event less was lost, and the sum of losses agrees
  record      the last record of a packet is missing
  swapped     two packets of a stream have exchanged their numbers
  address     some kfree, all over a stream, are of other addresses: a single one may be
              of an object that nobody compares

HOW, where FILE is something else:

  pid-packet  a trace: a packet of the channel pid is missing
  usage       a trace: some exits say that the task had other minor faults
  edge        a truth of tools/storm: another creator of one task
  reuse       a log of tools/reuse: the numbers of two children are exchanged
  scan        a log of tools/pidgen-scan: a scan is accepted in which two tasks were
              seen under one number
  ps          lists of `lifetrace ps`: a row has a start 10 ms later
"""
import json
import sys

import ltfile
from pidtree import HEADER, RECORD

CONTENT_BITS, PACKET_BITS, DISCARDED, SEQ = 48, 56, 64, 24      # offsets in a packet's header
ADDRESS_SIZE = 5
FRAME_SIZE = 4          # of all but the wide form
PARTS = 16
CLASS_BIRTH = 0         # the first class of the channel pid


class Copy:
    """A trace that is changed and written again."""

    def __init__(self, path):
        self.head, self.blocks = ltfile.read(path)
        self.schema = ltfile.Schema(self.payload_of(ltfile.SCHEMA))

    def payload_of(self, type_):
        return next(b.payload for b in self.blocks if b.type == type_)

    def packets(self, channel):
        """(number of the block, packet) of each packet of a channel, as in the file."""
        for n, block in enumerate(self.blocks):
            packet = ltfile.Packet(block.payload) if block.type == ltfile.PACKET else None
            if packet and packet.channel == channel:
                yield n, packet

    def longest_stream(self, least):
        """The numbers of the blocks of the stream of kmem with the most bytes; at least so many."""
        streams = {}
        for n, packet in self.packets(ltfile.KMEM):
            streams.setdefault(packet.cpu, []).append(n)
        stream = max(streams.values(), key=lambda s: sum(len(self.blocks[n].payload) for n in s))
        if len(stream) < least:
            raise SystemExit("only %d packets in a stream: too few" % len(stream))
        return stream

    def replace(self, n, data):
        self.blocks[n] = self.blocks[n].replace(bytes(data))

    def write(self, path):
        ltfile.write(path, self.head, self.blocks)


def put64(data, offset, value):
    """A field of the packet's header."""
    data[offset:offset + 8] = ltfile.Packet(data).number(value, 8)


def change_counts(copy, numbers, seen, lost_full):
    """Adds to the counters of the first class that has both, from there on."""
    for n in numbers:
        data = bytearray(copy.blocks[n].payload)
        for c in range(ltfile.N_CLASSES):
            at = ltfile.COUNTS_OFFSET + c * ltfile.COUNTS_SIZE
            counts = ltfile.Packet(data).counts(c)
            if counts[0] and counts[1] + lost_full >= 0:
                put64(data, at, counts[0] + seen)
                put64(data, at + 8, counts[1] + lost_full)
                put64(data, DISCARDED, ltfile.Packet(data).discarded + lost_full)
                break
        else:
            raise SystemExit("no class has lost events")
        copy.replace(n, data)


def drop_record(copy, n):
    payload = copy.blocks[n].payload
    ends = [at + copy.schema.sizes[id_]
            for id_, _, _, at in ltfile.Packet(payload).records(copy.schema)]
    # The last record begins at the end of the last but one.
    data = bytearray(payload[:ends[-2]])
    put64(data, CONTENT_BITS, len(data) * 8)
    put64(data, PACKET_BITS, len(data) * 8)
    copy.replace(n, data)


def swap_numbers(copy, pair):
    numbers = [ltfile.Packet(copy.blocks[n].payload).seq for n in pair]
    for n, number in zip(pair, reversed(numbers)):
        data = bytearray(copy.blocks[n].payload)
        put64(data, SEQ, number)
        copy.replace(n, data)


def place_of_address(packet, schema, id_, at):
    """Where its five bytes are. In the tight form the lowest three bits are the site's."""
    if id_ in schema.tight:
        return at + schema.sites[id_] + (0 if packet.is_big else 1)
    return at + schema.offsets[id_]["ptr"]


def change_addresses(copy, numbers):
    """Of one kfree in each of some parts of a stream."""
    schema = copy.schema
    found = [(n, place_of_address(ltfile.Packet(copy.blocks[n].payload), schema, id_, at))
             for n in numbers
             for id_, _, _, at in ltfile.Packet(copy.blocks[n].payload).records(schema)
             if schema.events[id_] == "kfree"]
    change_some(copy, found, ADDRESS_SIZE, "kfree")


def change_frames(copy, numbers):
    """Of one stack in each of some parts of a stream: its caller's caller."""
    schema, found = copy.schema, []
    for n in numbers:
        packet = ltfile.Packet(copy.blocks[n].payload)
        for id_, _, _, at in packet.records(schema):
            if schema.events[id_] == "stack":
                frames = next(f for f in schema.fields[id_] if f.name == "frames")
                size = (frames.end - frames.begin) // frames.count
                if size == FRAME_SIZE and packet.fields(schema, id_, at)["n_frames"] > 1:
                    found.append((n, at + frames.begin + size))
    change_some(copy, found, FRAME_SIZE, "stack")


def change_some(copy, found, size, what):
    """An address of so many bytes at some of the places (number of a block, offset)."""
    if not found:
        raise SystemExit("no %s in the stream" % what)
    for part in range(PARTS):
        n, at = found[len(found) * (2 * part + 1) // (2 * PARTS)]
        data = bytearray(copy.blocks[n].payload)
        data[at + size - 1 if ltfile.Packet(data).is_big else at] ^= 8
        copy.replace(n, data)


def packet_at(copy, time, cpu):
    return next(n for n, packet in copy.packets(ltfile.KMEM) if packet.cpu == cpu and packet.begin <= time <= packet.end)


def damage(how, source, target, where):
    """A fault in the channel kmem."""
    copy = Copy(source)
    # What is changed in a packet needs none beside it.
    stream = copy.longest_stream(1 if where or how in ("address", "frame") else 3)
    middle = len(stream) // 2
    if how == "packet":
        del copy.blocks[packet_at(copy, *where) if where else stream[middle]]
    elif how == "seen":
        change_counts(copy, stream[middle:], 1, 0)
    elif how == "lost":
        change_counts(copy, stream[middle:], 1, 1)
    elif how == "hidden":
        change_counts(copy, stream[middle:], 0, -1)
    elif how == "record":
        drop_record(copy, stream[middle])
    elif how == "swapped":
        swap_numbers(copy, stream[middle:middle + 2])
    elif how == "address":
        change_addresses(copy, stream)
    elif how == "frame":
        change_frames(copy, stream)
    copy.write(target)


def drop_pid_packet(source, target):
    """That with the most births, but not the first or last: some hold next to nothing."""
    copy, births, before = Copy(source), {}, {}
    for n, packet in copy.packets(ltfile.PID):
        seen = packet.counts(CLASS_BIRTH)[0]
        births[n] = seen - before.get(packet.cpu, 0)
        before[packet.cpu] = seen
    packets = sorted(births)
    del copy.blocks[max(packets[1:-1] or packets, key=births.get)]
    copy.write(target)


def change_usage(source, target):
    copy = Copy(source)
    schema = ltfile.Schema(copy.payload_of(ltfile.SCHEMA), ltfile.PID)
    found = [(n, at + schema.offsets[id_]["min_flt"]) for n, packet in copy.packets(ltfile.PID)
             for id_, _, _, at in packet.records(schema) if schema.events[id_] == "exit"]
    change_some(copy, found, 4, "exit")
    copy.write(target)


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


def exchange_numbers(source, target):
    with open(source) as f:
        lines = [json.loads(line) for line in f]
    born = [e for e in lines if e["what"] == "born" and e["level"] == 1]
    a, b = born[len(born) // 2:][:2]
    a["numbers"], b["numbers"] = b["numbers"], a["numbers"]
    with open(target, "w") as f:
        f.writelines(json.dumps(e) + "\n" for e in lines)


def accept_scan(source, target):
    """The first scan that saw two tasks, with two starts, ends in the generation in which it
    began."""
    with open(source, errors="replace") as f:
        lines = f.readlines()
    last = None
    for n, line in enumerate(lines):
        words = line.split()
        if words[0] == "scan":
            last = n
        elif words[0] == "saw" and len(words) == 6 and words[2] != words[4]:
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


IN_KMEM = ("none", "packet", "seen", "lost", "hidden", "record", "swapped", "address", "frame")
ELSEWHERE = {"pid-packet": drop_pid_packet, "usage": change_usage, "edge": change_edge, "reuse": exchange_numbers,
             "scan": accept_scan, "ps": change_row}


def main():
    if len(sys.argv) not in ((4, 6) if sys.argv[1:2] == ["packet"] else (4,)) or sys.argv[1] not in (*IN_KMEM, *ELSEWHERE):
        raise SystemExit(__doc__)
    how, source, target = sys.argv[1:4]
    if how in ELSEWHERE:
        ELSEWHERE[how](source, target)
    else:
        damage(how, source, target, [int(text) for text in sys.argv[4:]])


if __name__ == "__main__":
    main()
