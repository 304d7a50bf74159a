# SPDX-License-Identifier: GPL-2.0
"""
A second reader of trace files, in as few lines as it takes.

It shares nothing with the reader in user/, and so its sums are a check of that
one. It can also write a file again with blocks left out or changed. It reads
uncompressed packets, which is what the tests make, in the byte order of the
machine that wrote them.
"""
import struct

INFO, SCHEMA, PACKET, EVENTS, CLOCK = 1, 2, 3, 4, 5
SLAB, STATS, INDEX, TRAILER = 8, 9, 10, 11
ZSTD = 1
BLOCK_MAGIC = 0x4B42544C
PACKET_MAGIC = 0xC1FC1FC1
ORDERS = {struct.pack(order + "I", PACKET_MAGIC): order for order in "<>"}
HEADER = struct.Struct("<IHHIIII")
PACKET_HEADER = "IBBBBHHBBBBIIQQQQQQQQQ"
COUNTS_OFFSET = 96
COUNTS = "6Q"
COUNTS_SIZE = 48
COUNT_NAMES = ("seen", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf", "filtered")
ID_LONG = 63
KMEM, PID = 1, 2            # channels
N_CLASSES = 16              # of a channel


class BadFile(Exception):
    pass


def _crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_CRC = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Block:
    def __init__(self, type_, flags, stored, raw_length, crc=None):
        self.type, self.flags = type_, flags
        self.stored, self.raw_length, self.crc = stored, raw_length, crc

    @property
    def payload(self):
        if self.flags & ZSTD:
            raise BadFile("block of type %d is compressed: record without" % self.type)
        return self.stored

    def replace(self, payload):
        return Block(self.type, 0, payload, len(payload))

    def encode(self):
        crc = self.crc if self.crc is not None else crc32c(self.stored)
        head = HEADER.pack(BLOCK_MAGIC, self.type, self.flags, len(self.stored),
                           self.raw_length, crc, 0)[:20]
        return head + struct.pack("<I", crc32c(head)) + self.stored


def read(path):
    """The file's header, and its blocks."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"LIFETRAC":
        raise BadFile("%s: no trace file" % path)
    blocks, at = [], 16
    while at < len(data):
        magic, type_, flags, length, raw, crc, _ = HEADER.unpack_from(data, at)
        if magic != BLOCK_MAGIC or at + HEADER.size + length > len(data):
            raise BadFile("%s: no whole block at %d" % (path, at))
        at += HEADER.size
        blocks.append(Block(type_, flags, data[at:at + length], raw, crc))
        at += length
    return data[:16], blocks


def write(path, head, blocks):
    """Write blocks as a file, with an index and a trailer that fit them."""
    index, packets, content, at = [], 0, 0, len(head)
    with open(path, "wb") as f:
        f.write(head)
        for n, block in enumerate(blocks):
            if block.type == INDEX:
                index_at = at
                block = block.replace(b"".join(index))
            elif block.type == TRAILER:
                block = block.replace(struct.pack("<4Q", index_at, n + 1, packets, content))
            elif block.type == PACKET:
                p = Packet(block.payload)
                index.append(struct.pack("<4Q2I", at, p.seq, p.begin, p.end, p.cpu, p.channel))
                packets += 1
                content += p.size
            else:
                # Not a packet: channel 0, and its type where the CPU stands.
                index.append(struct.pack("<4Q2I", at, 0, 0, 0, block.type, 0))
            data = block.encode()
            f.write(data)
            at += len(data)


class Packet:
    def __init__(self, data):
        magic = bytes(data[:4])
        if magic not in ORDERS:
            raise BadFile("packet with magic %s" % magic.hex())
        self.order = ORDERS[magic]
        (_, self.channel, _, _, self.page_shift, self.header_size, self.flags, _, _, _, _,
         self.cpu, self.n_classes, self.seq, self.begin, self.end, self.bits, _, self.discarded,
         self.text_base, self.ptr_base, self.session) = struct.unpack_from(
             self.order + PACKET_HEADER, data)
        self.data, self.size = data, self.bits // 8

    @property
    def is_big(self):
        return self.order == ">"

    def number(self, value, size):
        """A field of so many bytes."""
        return value.to_bytes(size, "big" if self.is_big else "little")

    def counts(self, n):
        """seen, lost_full, lost_nmi, lost_nested, lost_nobuf, filtered of the channel's class n."""
        return struct.unpack_from(self.order + COUNTS, self.data, COUNTS_OFFSET + n * COUNTS_SIZE)

    def head(self, at):
        """
        Event id, context and low bits of the time, in the order in which bits
        are counted there: from the lowest, or from the highest one on.
        """
        word, = struct.unpack_from(self.order + "I", self.data, at)
        if self.is_big:
            return word >> 26, word & 3, word >> 2 & 0xFFFFFF
        return word & 63, word >> 30, word >> 6 & 0xFFFFFF

    def long_head(self, at):
        """Event id, context and time."""
        id_, time, context = struct.unpack_from(self.order + "HQB", self.data, at + 1)
        return id_, context >> 6 if self.is_big else context & 3, time

    def records(self, schema):
        """(event id, context, time, offset of the payload) of each record."""
        at, time, data, sizes = self.header_size, self.begin, self.data, schema.sizes
        told = set()
        while at < self.size:
            id_, context, low = self.head(at)
            if id_ == ID_LONG:
                id_, context, time = self.long_head(at)
                at += 12
            else:
                time += (low - time) & 0xFFFFFF
                at += 4
            if id_ not in sizes:
                raise BadFile("record with id %d" % id_)
            if id_ in schema.sites:
                site, = struct.unpack_from(self.order + "H", data, at + schema.sites[id_])
                if schema.events[id_] == "site":
                    told.add(site)
                elif site not in told:
                    raise BadFile("packet %d of cpu %d: site %d was not told" %
                                  (self.seq, self.cpu, site))
            yield id_, context, time, at
            at += sizes[id_]
        if at != self.size:
            raise BadFile("packet %d of cpu %d: a record reaches over its end" %
                          (self.seq, self.cpu))


class Schema:
    """What is said of one channel; its classes are numbered from 0 on."""

    def __init__(self, text, channel=KMEM):
        self.classes, self.events, self.sizes, self.class_of = {}, {}, {}, {}
        # Of an event: where the number of its site is; where its fields are, by name.
        self.sites, self.offsets = {}, {}
        id_ = None
        for line in text.decode().splitlines():
            words = line.split(" ")
            if words[0] == "class" and int(words[1]) // N_CLASSES == channel - 1:
                self.classes[words[2]] = int(words[1]) % N_CLASSES
            elif words[0] == "event":
                id_ = int(words[2]) if int(words[1]) == channel else None
                if id_ is not None:
                    self.events[id_] = words[3]
                    self.sizes[id_] = int(words[5])
                    self.class_of[id_] = self.classes.get(words[4])
                    self.offsets[id_] = {}
            elif words[0] == "field" and id_ is not None:
                self.offsets[id_][words[1]] = int(words[4])
                if words[3] == "site":
                    self.sites[id_] = int(words[4])


class Trace:
    """The packets of one channel of a file by CPU, in order of their numbers."""

    def __init__(self, path, channel=KMEM):
        self.head, self.blocks = read(path)
        self.schema = Schema(next(b.payload for b in self.blocks if b.type == SCHEMA), channel)
        self.streams = {}
        for b in self.blocks:
            if b.type == PACKET:
                p = Packet(b.payload)
                if p.channel == channel:
                    self.streams.setdefault(p.cpu, []).append(p)
        for packets in self.streams.values():
            packets.sort(key=lambda p: p.seq)

    def text(self, type_, n=0):
        texts = [b.payload.decode(errors="replace") for b in self.blocks if b.type == type_]
        return texts[n] if texts else ""

    def info(self):
        return dict(line.split("=", 1) for line in self.text(INFO).splitlines() if "=" in line)
