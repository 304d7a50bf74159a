#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: check_format.py FILE [DUMP]

Checks all of a trace file that Documentation/format.rst lets a reader check: blocks,
checksums, index and trailer, packets and their order, counters, times, records, ids
that are announced. DUMP is what `lifetrace dump --json FILE` printed: of each event
that it has, both must have as many.

Problems are printed, then "key value" lines; exit status 1 if there are problems.
"""
import re
import struct
import sys
from collections import Counter

import ltfile
from ltfile import CGROUPS, INDEX, INFO, PACKET, SCHEMA, TRAILER, BadFile

MAX_PAYLOAD = 64 << 20
MAGIC = struct.pack("<I", ltfile.BLOCK_MAGIC)


class Checker:
    def __init__(self, data):
        self.data = data
        self.problems = self.records = 0
        self.info, self.schemas = {}, {}
        self.blocks = {}                # offset of a block's header: its type
        self.packets = []               # entries as in INDEX, and the length
        self.streams = {}               # (channel, cpu): state at its last end
        self.common = None              # what all packets have in common
        self.caches, self.cache_uses, self.complete = {}, set(), True
        self.full = {}                  # (channel, event with a site): its full form
        self.events = Counter()         # by name

    def problem(self, message):
        self.problems += 1
        print("problem:", message)

    @staticmethod
    def note(message):
        print("note:", message)

    def run(self):
        if len(self.data) < ltfile.FILE_HEADER.size or self.data[:8] != ltfile.FILE_MAGIC:
            return self.problem("not a lifetrace file")
        _, major, minor, _ = ltfile.FILE_HEADER.unpack_from(self.data)
        if major != 1:
            return self.problem("major version %d" % major)
        if minor:
            self.note("newer minor version %d" % minor)
        offset = ltfile.FILE_HEADER.size
        while offset < len(self.data):
            offset = self.read_block(offset)
        unknown = self.cache_uses - set(self.caches) - {0}
        if unknown and self.complete:
            self.problem("cache ids that were not announced: %s" % sorted(unknown))
        return None

    # Blocks.

    def header_is_right(self, offset):
        header = self.data[offset:offset + ltfile.HEADER.size]
        return len(header) == ltfile.HEADER.size and header[:4] == MAGIC and \
            ltfile.HEADER.unpack(header)[-1] == ltfile.crc32c(header[:20])

    def next_block(self, offset):
        """Where the next right header is."""
        offset = self.data.find(MAGIC, offset + 1)
        while offset >= 0 and not self.header_is_right(offset):
            offset = self.data.find(MAGIC, offset + 1)
        return offset if offset >= 0 else len(self.data)

    def read_block(self, offset):
        """Reads the block at offset; returns where the next one is."""
        where, left = "block at %d" % offset, len(self.data) - offset
        right = self.header_is_right(offset)
        if not right and (left >= ltfile.HEADER.size or
                          self.data[offset:offset + 4] != MAGIC[:left]):
            after = self.next_block(offset)
            self.problem("%s: bad header, %d bytes skipped" % (where, after - offset))
            return after
        found = ltfile.block_at(self.data, offset) if right else None
        if not found:
            self.note("%s: torn, %d bytes" % (where, left))
            return len(self.data)
        block, end = found
        if TRAILER in self.blocks.values() or not self.blocks and block.type != INFO:
            self.problem("%s: behind the trailer, or first and not INFO" % where)
        self.blocks[offset] = block.type
        if max(len(block.stored), block.raw_length) > MAX_PAYLOAD:
            self.problem("%s: longer than 64 MiB" % where)
        elif ltfile.crc32c(block.stored) != block.crc:
            self.problem("%s: bad CRC of the payload" % where)
        elif block.flags & ~3 or not 1 <= block.type <= CGROUPS:
            self.note("%s: type %d, flags %#x skipped" % (where, block.type, block.flags))
        elif block.flags & ltfile.COLUMNS and \
                (not block.flags & ltfile.ZSTD or block.type != PACKET):
            self.problem("%s: columns, but type %d, flags %d" % (where, block.type, block.flags))
        else:
            self.read_payload(block, offset, where)
        return end

    def read_payload(self, block, offset, where):
        handler = {INFO: self.read_info, SCHEMA: self.read_schema, PACKET: self.read_packet,
                   INDEX: self.read_index, TRAILER: self.read_trailer}.get(block.type)
        try:
            payload = block.payload
            if handler:
                handler(payload, offset, where)
        except (BadFile, ValueError, LookupError, struct.error) as error:
            self.problem("%s: %r" % (where, error))

    def read_info(self, payload, offset, where):
        lines = ltfile.text_of(payload).split("\n")
        self.info.update(line.split("=", 1) for line in lines if "=" in line)

    def read_schema(self, payload, offset, where):
        text = ltfile.text_of(payload)
        version = re.match(r"lifetrace-schema (\d+)", text)
        if not version or version[1] != "1":
            self.problem("%s: version %s" % (where, text[:40]))
        for number in map(int, re.findall(r"^channel (\d+) ", text, re.M)):
            schema = self.schemas[number] = ltfile.Schema(payload, number)
            for id_ in schema.sites:
                if schema.events[id_] == "site":
                    continue
                # The largest form of this event that has no site.
                forms = [i for i, name in schema.events.items()
                         if name == schema.events[id_] and i not in schema.sites]
                self.full[number, id_] = max(forms, key=schema.sizes.get, default=None)
                if not forms:
                    self.problem("%s: %s %d has no full form" % (where, schema.events[id_], id_))

    def read_index(self, payload, offset, where):
        size = ltfile.INDEX_ENTRY.size
        whole = len(payload) // size * size
        entries = list(ltfile.INDEX_ENTRY.iter_unpack(payload[:whole]))
        packets = {p[0]: p[:6] for p in self.packets}
        found = [packets.get(at, (at, 0, 0, 0, type_, 0))
                 for at, type_ in self.blocks.items() if at != offset]
        if whole < len(payload) or entries != found:
            self.problem("%s: INDEX does not list the blocks of the file" % where)

    def read_trailer(self, payload, offset, where):
        index, *numbers = struct.unpack("<QQQQ", payload)
        found = [len(self.blocks), len(self.packets), sum(p[6] for p in self.packets)]
        if self.blocks.get(index) != INDEX or numbers != found:
            self.problem("%s: TRAILER %d, %s, found %s" % (where, index, numbers, found))

    # Packets.

    def read_packet(self, data, offset, where):
        p = ltfile.Packet(data)
        where += ": cpu %d channel %d packet %d" % (p.cpu, p.channel, p.seq)
        self.packets.append((offset, p.seq, p.begin, p.end, p.cpu, p.channel, len(data)))
        if p.major != 1 or not 96 + 48 * p.n_classes <= p.header_size <= len(data) or (
                p.minor == 0 and (p.header_size, p.n_classes) != (864, 16)):
            self.problem("%s: version %d.%d, header of %d bytes, %d counts" %
                         (where, p.major, p.minor, p.header_size, p.n_classes))
            return
        if p.bits != p.packet_bits or p.bits != len(data) * 8:
            self.problem("%s: %d, %d bits, %d bytes" % (where, p.bits, p.packet_bits, len(data)))
        self.check_common(p, where)
        old_seq, old_end, was_last, old_counts = self.streams.get(
            (p.channel, p.cpu), (-1, 0, False, ((0,) * 6,) * p.n_classes))
        if p.seq != old_seq + 1:        # the first ones may have been overwritten
            (self.note if old_seq < 0 else self.problem)(
                "%s: sequence number after %d" % (where, old_seq))
            self.complete, old_counts = False, ()
        if not old_end <= p.begin <= p.end or was_last:
            self.problem("%s: %d to %d, behind a packet to %d with flags %s" %
                         (where, p.begin, p.end, old_end, was_last))
        counts = [p.counts(c) for c in range(p.n_classes)]
        if p.discarded != sum(sum(c[1:5]) for c in counts):
            self.problem("%s: events lost %d is not the sum" % (where, p.discarded))
        written = Counter()
        whole = self.read_records(p, written, where)
        for number, (old, new) in enumerate(zip(old_counts, counts)):
            seen, *rest = [n - o for n, o in zip(new, old)]
            if min(seen, *rest) < 0:
                self.problem("%s: class %d: counts decrease" % (where, number))
            if whole and seen != written[number] + sum(rest):
                self.problem("%s: class %d: seen %d, written %d, lost and filtered %s" %
                             (where, number, seen, written[number], rest))
        self.complete = self.complete and whole and not p.discarded
        self.streams[p.channel, p.cpu] = p.seq, p.end, p.flags & 1, counts

    def check_common(self, p, where):
        """What all packets of a file have in common, and INFO says, too."""
        common = {"byte_order": p.byte_order, "page_shift": p.page_shift,
                  "size_long": p.sizes[0], "size_ptr": p.sizes[1], "sizes": p.sizes[2:],
                  "session": p.session, "text_base": p.text_base, "ptr_base": p.ptr_base}
        if common != (self.common or common):
            self.problem("%s: %s, before %s" % (where, common, self.common))
        for key in common if not self.common else ():
            said = self.info.get(key, common[key])
            if said != common[key] and int(said, 0) != common[key]:
                self.problem("%s: %s %s, in INFO %s" % (where, key, common[key], said))
        self.common = common

    def read_records(self, p, written, where):
        """Counts the records by class; False if not all could be read."""
        schema, time, sites, first = self.schemas[p.channel], p.begin, {}, True
        try:
            for id_, context, now, at in p.records(schema):
                here = "%s: record at %d" % (where, at)
                name = schema.events[id_]
                fields = p.fields(schema, id_, at)
                if name == "site":
                    sites[fields["site"]] = fields
                elif (p.channel, id_) in self.full:
                    fields = {**sites[fields["site"]], **fields}
                    lacking = [f.name for f in schema.fields[self.full[p.channel, id_]]
                               if f.name not in fields]
                    if lacking:
                        self.problem("%s: the site lacks %s" % (here, lacking))
                if not time <= now <= p.end or context == 3:
                    self.problem("%s: context %d, or time %d is not in %d to %d" %
                                 (here, context, now, time, p.end))
                if first and p.channel == ltfile.KMEM and name != "task":
                    self.problem("%s: the first one is not a task" % here)
                if name == "cache":
                    known = self.caches.setdefault(fields["cache"], fields)
                    if known["ptr"] != fields["ptr"]:
                        self.problem("%s: cache id of another cache" % here)
                self.cache_uses.add(fields.get("cache", 0))
                if schema.class_of[id_] is not None:
                    written[schema.class_of[id_]] += 1
                self.records += 1
                self.events[name] += 1
                time, first = now, False
        except (BadFile, struct.error) as error:
            self.problem("%s: %s" % (where, error))
            return False
        return True

    def compare(self, path):
        """Events that `lifetrace dump --json` printed, by name."""
        with open(path, encoding="utf-8", errors="replace") as f:
            dumped = Counter(re.findall(r'"event":"(\w+)"', f.read()))
        if not dumped:
            self.problem("dump printed no event")
        for name, n in sorted(dumped.items()):
            if self.events[name] != n:
                self.problem("%d events %s, dump has %d" % (self.events[name], name, n))
        print("compared", sum(dumped.values()))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        checker = Checker(file.read())
    checker.run()
    if len(sys.argv) == 3:
        checker.compare(sys.argv[2])
    print("blocks", len(checker.blocks))
    print("packets", len(checker.packets))
    print("records", checker.records)
    print("problems", checker.problems)
    return checker.problems > 0 or not checker.records


if __name__ == "__main__":
    sys.exit(main())
