#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: altered.py TOOL FILE...
       altered.py --fields TOOL FILE

Alters traces, with an index, a trailer and checksums that fit, and checks that "verify" finds
each alteration, names its place, and holds for the file as it was. What is altered is what a
clock that is read wrong, a lost block or packet, or a writer with a fault would do.

--fields: alters each field of the headers, each number of the texts and each record of some
packets, one at a time, and counts which of them verify finds, which change no answer, and which
change one unseen; these are listed.
"""
import collections
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

CLOCKS = ("clock", "realtime", "boottime", "monotonic", "raw")
CONTENTS = 18
NAMES = {1: "INFO", 2: "SCHEMA", 3: "PACKET", 4: "EVENTS", 5: "CLOCK", 6: "SYMBOLS", 7: "MODULES",
         8: "SLAB", 9: "STATS", 12: "BUILDS", 13: "CGROUPS", 14: "STATE", 15: "PART", 16: "CACHES",
         17: "CODE", 19: "FUNCTIONS"}
CHANNELS = {1: "kmem", 2: "pid", 3: "area", 4: "syscall", 5: "call"}
OFF = 100_000_000   # ns
ANSWERS = (("lifetimes", "--csv"), ("tasks", "--csv"), ("hazards",), ("report", "--json"))


class Work:
    """A trace in a folder of its own, which is written anew with other blocks."""

    def __init__(self, tool, path, folder):
        self.tool, self.path, self.out = tool, path, Path(folder) / "altered.lt"
        self.head, self.blocks = ltfile.read(path)

    def write(self, blocks, head=None):
        ltfile.write(self.out, head or self.head, blocks)

    def run(self, *words):
        done = subprocess.run([self.tool, *words, str(self.out)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode(errors="replace")

    def answers(self):
        return [self.run(*words) for words in ANSWERS]

    def of_type(self, type_):
        return [i for i, block in enumerate(self.blocks) if block.type == type_]

    def with_block(self, i, *blocks):
        return [*self.blocks[:i], *blocks, *self.blocks[i + 1:]]


def set_number(data, order, at, size, value):
    number = value.to_bytes(size, "big" if order == ">" else "little")
    return data[:at] + number + data[at + size:]


def add_to(packet, at, size, add):
    """The packet with another number in its header."""
    order = packet.byte_order
    value = int.from_bytes(packet.data[at:at + size], order) + add
    value &= (1 << 8 * size) - 1
    return packet.data[:at] + value.to_bytes(size, order) + packet.data[at + size:]


def without(packet, begin, end):
    """The packet without some bytes of its records."""
    data = packet.data[:begin] + packet.data[end:]
    for at in (48, 56):
        data = set_number(data, packet.order, at, 8, len(data) * 8)
    return data


def with_twice(packet, begin, end):
    data = packet.data[:end] + packet.data[begin:end] + packet.data[end:]
    for at in (48, 56):
        data = set_number(data, packet.order, at, 8, len(data) * 8)
    return data


def records(work, packet):
    """(name, begin, end) of each record that is counted in a class."""
    text = next(b.payload for b in work.blocks if b.type == ltfile.SCHEMA)
    schema = ltfile.Schema(text, packet.channel)
    begin = packet.header_size
    for id_, _, _, at in packet.records(schema):
        end = at + schema.sizes[id_]
        if schema.class_of[id_] is not None:
            yield schema.events[id_], begin, end
        begin = end


# ----------------------------------------------------------------------
# The alterations: (what, blocks, what verify says)

def clocks(work):
    """Each clock of each reading, where the others bear it out."""
    info = next(b.payload for b in work.blocks if b.type == ltfile.INFO).decode()
    own = {"mono": "monotonic", "boot": "boottime", "raw": "raw", "counter": None}[
        re.search(r"^clock=(\w+)", info, re.M).group(1)]
    readings = work.of_type(ltfile.CLOCK)
    counter = re.search(r"^clock=counter", info, re.M)
    for n, i in enumerate(readings):
        text = work.blocks[i].payload.decode()
        for name in CLOCKS:
            # The wall clock may have been set, and nothing goes by a raw clock that is not the trace's.
            if name == "realtime" or name == "raw" and own != "raw":
                continue
            # With another clock as the trace's: the machine may have slept since.
            if name in ("monotonic", "boottime") and not n and not counter and own != name:
                continue
            changed = re.sub(r"\b%s=(\d+)" % name,
                             lambda m: m.group(0).replace(m.group(1), str(int(m.group(1)) + OFF)),
                             text)
            block = work.blocks[i].replace(changed.encode())
            yield "%s of reading %d" % (name, n), work.with_block(i, block), "the reading of the clocks"


def packets(work):
    at = work.of_type(ltfile.PACKET)
    last = {}
    for i in at:
        packet = ltfile.Packet(work.blocks[i].payload)
        last[packet.channel, packet.cpu] = i, packet
    for (channel, cpu), (i, packet) in sorted(last.items()):
        yield ("the end of the last packet of cpu %d, channel %d" % (cpu, channel),
               work.with_block(i, work.blocks[i].replace(add_to(packet, 40, 8, 1 << 47))),
               "an end within 10 minutes")
        yield ("an unknown flag of a packet of cpu %d, channel %d" % (cpu, channel),
               work.with_block(i, work.blocks[i].replace(add_to(packet, 10, 2, 0x40))),
               "expected no flags but 0x9")


def record_counts(work):
    i = work.of_type(ltfile.PACKET)[-1]
    packet = ltfile.Packet(work.blocks[i].payload)
    found = list(records(work, packet))
    for name, begin, end in found[:1] + found[-1:]:
        yield ("a dropped %s" % name,
               work.with_block(i, work.blocks[i].replace(without(packet, begin, end))),
               "expected 0|announced|the time of a record")
        yield ("a %s that stands there twice" % name,
               work.with_block(i, work.blocks[i].replace(with_twice(packet, begin, end))),
               "expected 0")


def block_flags(work):
    for type_ in (ltfile.CLOCK, ltfile.PACKET):
        i = work.of_type(type_)[0]
        block = work.blocks[i]
        yield ("an unknown flag of a block of type %d" % type_,
               work.with_block(i, ltfile.Block(type_, block.flags | 0x20, block.stored,
                                               block.raw_length)),
               "blocks with the flags")
    yield ("a block of an unknown type", [ltfile.Block(99, 0, b"x\n", 2) if n == 2 else b
                                          for n, b in enumerate([*work.blocks[:2], None,
                                                                 *work.blocks[2:]])],
           "found type 99")


def contents(blocks):
    """The text CONTENTS of a file with these blocks, as format.rst describes it."""
    sums, streams, lines = collections.Counter(), {}, []
    for block in blocks:
        sums[block.type] += block.raw_length
        if block.type == ltfile.PACKET:
            packet = ltfile.Packet(block.payload)
            streams.setdefault((packet.channel, packet.cpu), []).append(packet)
    for type_, name in NAMES.items():
        n = sum(block.type == type_ for block in blocks)
        lines += ["blocks %s %d bytes %d" % (name, n, sums[type_])] if n else []
    for (channel, cpu), found in streams.items():
        lines.append("stream %s %d packets %d first %d last %d begin %d end %d" % (
            CHANNELS[channel], cpu, len(found), found[0].seq, found[-1].seq, found[0].begin,
            found[-1].end))
    data = "".join(line + "\n" for line in lines).encode()
    return ltfile.Block(CONTENTS, 0, data, len(data))


def lost_blocks(work):
    """What only CONTENTS can miss; a file of an earlier writer gets one."""
    blocks, ends = work.blocks[:-2], work.blocks[-2:]
    text = contents(blocks)
    for type_ in sorted({b.type for b in blocks}):
        if type_ in (ltfile.INFO, ltfile.SCHEMA, CONTENTS):
            continue
        i = next(n for n, block in enumerate(blocks) if block.type == type_)
        yield ("a lost block of type %d" % type_, [*blocks[:i], *blocks[i + 1:], text, *ends],
               "CONTENTS: expected . blocks %s|CONTENTS: expected .. blocks" % NAMES[type_])


def stopped(work):
    """The time of the stop, which is the end of the trace."""
    i = work.of_type(ltfile.STATS)[-1]
    text = bytes(work.blocks[i].payload).decode()
    found = re.search(r"^stopped (\d+)", text, re.M)
    if found:
        late = "stopped %d" % (int(found.group(1)) + (1 << 40))
        text = text.replace(found.group(0), late, 1)
        yield ("the stop, behind the last packets",
               work.with_block(i, work.blocks[i].replace(text.encode())), "'stopped'")


GROUPS = (clocks, stopped, packets, record_counts, block_flags, lost_blocks)


def check_file(work):
    """How many alterations were found, and which were not."""
    tried, bad = 0, []
    work.write(work.blocks)
    status, said = work.run("verify")
    if status:
        bad.append("%s: as it was: %s" % (work.path.name, said))
    work.write([*work.blocks[:-2], contents(work.blocks[:-2]), *work.blocks[-2:]])
    status, said = work.run("verify")
    if status or "PASS  contents" not in said:
        bad.append("%s: with CONTENTS: %s" % (work.path.name, said))
    for group in GROUPS:
        for what, blocks, expected in group(work):
            work.write(blocks)
            status, said = work.run("verify")
            tried += 1
            found = said[said.find("Found:"):]
            if status != 1 or not re.search(expected, found) or not re.search(r"offset \d+", found):
                bad.append("%s: %s: exit status %d: %s" % (work.path.name, what, status, found[:300]))
    return tried, bad


# ----------------------------------------------------------------------
# Each field

def header_fields(packet):
    fields = [("magic", 0, 4), ("channel", 4, 1), ("major", 5, 1), ("minor", 6, 1),
              ("page_shift", 7, 1), ("header_size", 8, 2), ("flags", 10, 2), ("size_long", 12, 1),
              ("size_ptr", 13, 1), ("size_pid", 14, 1), ("size_gfp", 15, 1), ("cpu", 16, 4),
              ("n_classes", 20, 4), ("seq", 24, 8), ("begin", 32, 8), ("end", 40, 8),
              ("content_bits", 48, 8), ("packet_bits", 56, 8), ("discarded", 64, 8),
              ("text_base", 72, 8), ("ptr_base", 80, 8), ("session", 88, 8)]
    for n in range(packet.n_classes):
        fields += [("counts.%s" % name, ltfile.COUNTS_OFFSET + ltfile.COUNTS_SIZE * n + 8 * k, 8)
                   for k, name in enumerate(ltfile.COUNT_NAMES)]
    return fields


def header_changes(work):
    chosen = work.of_type(ltfile.PACKET)
    for i in {chosen[0], chosen[len(chosen) // 2], chosen[-1]}:
        packet = ltfile.Packet(work.blocks[i].payload)
        for name, at, size in header_fields(packet):
            for add in (1, -1, 1 << min(30, 8 * size - 2)):
                yield ("header." + name,
                       work.with_block(i, work.blocks[i].replace(add_to(packet, at, size, add))))


def text_changes(work):
    """Each number of a line of a text, one more; each line left out."""
    names = {ltfile.INFO: "INFO", ltfile.CLOCK: "CLOCK", ltfile.STATS: "STATS", 4: "EVENTS",
             15: "PART", 8: "SLAB", CONTENTS: "CONTENTS"}
    for i, block in enumerate(work.blocks):
        if block.type not in names:
            continue
        lines = bytes(block.payload).decode(errors="surrogateescape").split("\n")
        for n, line in enumerate(lines[:-1]):
            key = re.split(r"[= \t]", line)[0][:20]
            label = "%s.%s" % (names[block.type], key if block.type != 8 else "line")
            rest = [*lines[:n], *lines[n + 1:]]
            yield label + " left out", replaced(work, i, rest)
            number = re.search(r"\d+(?!.*\d)", line)
            if number and not number.group(0).startswith("0x"):
                other = line[:number.start()] + str(int(number.group(0)) + 1) + line[number.end():]
                yield label, replaced(work, i, [*lines[:n], other, *lines[n + 1:]])


def replaced(work, i, lines):
    data = "\n".join(lines).encode(errors="surrogateescape")
    return work.with_block(i, work.blocks[i].replace(data))


def record_changes(work):
    """A record left out, or twice; each byte of its payload."""
    i = work.of_type(ltfile.PACKET)[-1]
    packet = ltfile.Packet(work.blocks[i].payload)
    for name, begin, end in list(records(work, packet))[::17]:
        yield "record left out", work.with_block(
            i, work.blocks[i].replace(without(packet, begin, end)))
        yield "record twice", work.with_block(
            i, work.blocks[i].replace(with_twice(packet, begin, end)))
        for at in range(begin, end):
            yield "record byte, %s" % ("head" if at < begin + 4 else "payload"), work.with_block(
                i, work.blocks[i].replace(add_to(packet, at, 1, 1)))


def block_changes(work):
    for i, block in enumerate(work.blocks):
        if block.type in (ltfile.INDEX, ltfile.TRAILER):
            continue
        yield "block.type", work.with_block(
            i, ltfile.Block(block.type + 1, block.flags, block.stored, block.raw_length))
        yield "block.flags", work.with_block(
            i, ltfile.Block(block.type, block.flags ^ 0x10, block.stored, block.raw_length))
        yield "block.raw_length", work.with_block(
            i, ltfile.Block(block.type, block.flags, block.stored, block.raw_length + 1))
        yield "block %d left out" % block.type, work.with_block(i)
        yield "block %d twice" % block.type, work.with_block(i, block, block)


def fields(work):
    work.write(work.blocks)
    before = work.answers()
    count = collections.defaultdict(lambda: [0, 0, 0])
    for changes in (block_changes, header_changes, text_changes, record_changes):
        for label, blocks in changes(work):
            try:
                work.write(blocks)
            except (ltfile.BadFile, struct.error):
                continue    # no packet any more, which the tool cannot index
            status, _ = work.run("verify", "-q")
            found = 0 if status else 1 if work.answers() == before else 2
            count[label][found] += 1
    print("%-28s %6s %9s %8s" % ("field", "seen", "no change", "unseen"))
    total = [0, 0, 0]
    for label, row in sorted(count.items()):
        total = [a + b for a, b in zip(total, row)]
        if row[2]:
            print("%-28s %6d %9d %8d" % (label, *row))
    print("%-28s %6d %9d %8d" % ("all", *total))


def main(words):
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "--fields":
            fields(Work(words[1], Path(words[2]), folder))
            return 0
        tried, bad = 0, []
        for path in words[1:]:
            n, found = check_file(Work(words[0], Path(path), folder))
            tried += n
            bad += found
    for line in bad:
        print(line)
    print("%d alterations, %d not found" % (tried, len(bad)))
    return 1 if bad or not tried else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
