# SPDX-License-Identifier: GPL-2.0
"""
A reader of trace files, written from Documentation/format.rst alone. It shares nothing
with the reader in user/, so that its results are a check of that one. It can also
write a file again with blocks left out or changed, see plant.py.

It reads files and packets of both byte orders; packed columns, too, and compressed
blocks where the program zstd is installed. What is wrong in a file raises BadFile;
check_format.py finds and names everything that a reader can check.
"""
import struct
import subprocess
from collections import namedtuple

INFO, SCHEMA, PACKET, EVENTS, CLOCK = 1, 2, 3, 4, 5
SLAB, STATS, INDEX, TRAILER, BUILDS, CGROUPS = 8, 9, 10, 11, 12, 13
ZSTD, COLUMNS = 1, 2            # flags of a block
KMEM, PID = 1, 2                # channels
N_CLASSES = 16                  # of a channel

FILE_MAGIC = b"LIFETRAC"
FILE_HEADER = struct.Struct("<8sHHI")
BLOCK_MAGIC = 0x4B42544C
HEADER = struct.Struct("<IHHIIII")
INDEX_ENTRY = struct.Struct("<4Q2I")
PACKET_MAGIC = 0xC1FC1FC1
ORDERS = {struct.pack(order + "I", PACKET_MAGIC): order for order in "<>"}
NAMES_OF_ORDERS = {"<": "little", ">": "big"}
PACKET_HEADER = "IBBBBHHBBBBIIQQQQQQQQQ"
COUNTS_OFFSET = 96
COUNTS = "6Q"
COUNTS_SIZE = 48
COUNT_NAMES = ("seen", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf", "filtered")
ID_LONG = 63                    # a record with a long head
COLUMNS_TIGHT = 2
TIGHT_SITE, TIGHT_PTR = 0x7FF, 0xFFFFFFFFF8
MASK64 = (1 << 64) - 1

# Of an array, count is the number of its elements; else 1.
Field = namedtuple("Field", "name type kind begin end count")


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


def unzstd(data):
    done = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise BadFile("zstd: " + done.stderr.decode().strip())
    return done.stdout


class Column:
    """Bytes of which some are taken at a time, from the first one on."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        if self.at > len(self.data):
            raise BadFile("a column is too short")
        return self.data[self.at - size:self.at]

    def take_delta(self, highs):
        """The difference of two times; highs is the column with its higher bits."""
        delta, shift, more = self.take(1)[0], 8, True
        while more:
            byte = highs.take(1)[0]
            delta, shift, more = delta | (byte & 127) << shift, shift + 7, byte & 128
        if delta >> 24:
            raise BadFile("a time of more than 24 bits")
        return delta


def join_columns(data):
    """The packet that was packed into these columns."""
    if bytes(data[:4]) not in ORDERS:
        raise BadFile("columns of no packet")
    order = NAMES_OF_ORDERS[ORDERS[bytes(data[:4])]]
    little = order == "little"
    size = int.from_bytes(data[8:10], order)
    time = int.from_bytes(data[32:40], order)
    *lengths, shorts, rest, events = struct.unpack_from("<6I", data, size)
    out, at = bytearray(data[:size]), size + 24
    forms = {number: (form, length) for number, form, length
             in struct.iter_unpack("<BBH", data[at:at + 4 * events])}
    at, columns = at + 4 * events, []
    for length in (*lengths, 2 * shorts, 5 * shorts, rest):
        columns.append(Column(data[at:at + length]))
        at += length
    tags, lows, highs, sites, ptrs, rest = columns
    if at != len(data):
        raise BadFile("%d bytes of columns, found %d" % (at, len(data)))
    for tag in tags.take(len(tags.data)):
        if tag == ID_LONG:
            head = rest.take(12)
            time = int.from_bytes(head[3:11], order)
            out += head + rest.take(forms[int.from_bytes(head[1:3], order)][1])
            continue
        time += lows.take_delta(highs)
        low, form, length = time & 0xFFFFFF, *forms[tag & 63]
        word = (tag & 63 | low << 6 | tag >> 6 << 30) if little else (
            (tag & 63) << 26 | low << 2 | tag >> 6)
        out += word.to_bytes(4, order)
        if form == COLUMNS_TIGHT:
            site, ptr = (int.from_bytes(column, order) for column in (sites.take(2), ptrs.take(5)))
            out += (ptr << 8 | site).to_bytes(6, order)
        else:
            out += sites.take(2) + ptrs.take(5) if form else rest.take(length)
    if any(column.at != len(column.data) for column in columns):
        raise BadFile("bytes of columns are left over")
    return bytes(out)


class Block:
    def __init__(self, type_, flags, stored, raw_length, crc=None):
        self.type, self.flags = type_, flags
        self.stored, self.raw_length, self.crc = stored, raw_length, crc
        self.unpacked = None

    @property
    def payload(self):
        if not self.flags:
            return self.stored
        if self.unpacked is None:
            data = unzstd(self.stored) if self.flags & ZSTD else self.stored
            self.unpacked = join_columns(data) if self.flags & COLUMNS else data
            if len(self.unpacked) != self.raw_length:
                raise BadFile("block of type %d: %d bytes, not %d" %
                              (self.type, len(self.unpacked), self.raw_length))
        return self.unpacked

    def replace(self, payload):
        return Block(self.type, 0, payload, len(payload))

    def encode(self):
        crc = self.crc if self.crc is not None else crc32c(self.stored)
        head = HEADER.pack(BLOCK_MAGIC, self.type, self.flags, len(self.stored),
                           self.raw_length, crc, 0)[:20]
        return head + struct.pack("<I", crc32c(head)) + self.stored


def block_at(data, at):
    """The block at an offset and where it ends; None if no whole block is there."""
    if at + HEADER.size > len(data):
        return None
    magic, type_, flags, length, raw, crc, _ = HEADER.unpack_from(data, at)
    end = at + HEADER.size + length
    if magic != BLOCK_MAGIC or end > len(data):
        return None
    return Block(type_, flags, data[at + HEADER.size:end], raw, crc), end


def read(path):
    """The file's header, and its blocks."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != FILE_MAGIC:
        raise BadFile("%s: no trace file" % path)
    blocks, at = [], FILE_HEADER.size
    while at < len(data):
        found = block_at(data, at)
        if not found:
            raise BadFile("%s: no whole block at %d" % (path, at))
        block, at = found
        blocks.append(block)
    return data[:FILE_HEADER.size], blocks


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
                index.append(INDEX_ENTRY.pack(at, p.seq, p.begin, p.end, p.cpu, p.channel))
                packets += 1
                content += p.size
            else:
                # Not a packet: channel 0, and its type where the CPU stands.
                index.append(INDEX_ENTRY.pack(at, 0, 0, 0, block.type, 0))
            data = block.encode()
            f.write(data)
            at += len(data)


class Packet:
    def __init__(self, data):
        magic = bytes(data[:4])
        if magic not in ORDERS or len(data) < COUNTS_OFFSET:
            raise BadFile("packet with magic %s" % magic.hex())
        self.order = ORDERS[magic]
        self.byte_order = NAMES_OF_ORDERS[self.order]
        (_, self.channel, self.major, self.minor, self.page_shift, self.header_size, self.flags,
         *self.sizes, self.cpu, self.n_classes, self.seq, self.begin, self.end, self.bits,
         self.packet_bits, self.discarded, self.text_base, self.ptr_base, self.session
         ) = struct.unpack_from(self.order + PACKET_HEADER, data)
        self.data, self.size = data, self.bits // 8
        # By number: event id, and offset of the payload, of the last record that announced the task.
        self.tasks = {}

    @property
    def is_big(self):
        return self.order == ">"

    def number(self, value, size):
        """A field of so many bytes."""
        return value.to_bytes(size, self.byte_order)

    def counts(self, n):
        """COUNT_NAMES of the channel's class n."""
        return struct.unpack_from(self.order + COUNTS, self.data, COUNTS_OFFSET + n * COUNTS_SIZE)

    def head(self, at):
        """
        Event id, context and low bits of the time. Bits are counted in the packet's
        order: from the lowest, or from the highest one on.
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
        announced, stacks, tasks = set(), {0}, {}
        self.tasks = tasks
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
            if id_ in schema.tasks:
                number = data[at + schema.tasks[id_]]
                if "tid" in schema.offsets[id_]:
                    tasks[number] = id_, at
                elif number not in tasks:
                    raise BadFile("packet %d of cpu %d: task %d was not announced" %
                                  (self.seq, self.cpu, number))
            if id_ in schema.sites:
                site = self.site(schema, id_, at)
                if schema.events[id_] == "site":
                    announced.add(site)
                elif site not in announced:
                    raise BadFile("packet %d of cpu %d: site %d was not announced" %
                                  (self.seq, self.cpu, site))
            if id_ in schema.stacks:
                stack, = struct.unpack_from(self.order + "H", data, at + schema.stacks[id_])
                if schema.events[id_] == "stack":
                    stacks.add(stack)
                elif stack not in stacks:
                    raise BadFile("packet %d of cpu %d: stack %d was not announced" %
                                  (self.seq, self.cpu, stack))
            yield id_, context, time, at
            at += sizes[id_]
        if at != self.size:
            raise BadFile("packet %d of cpu %d: a record reaches over its end" %
                          (self.seq, self.cpu))

    def site(self, schema, id_, at):
        """The number of the site of a record."""
        at += schema.sites[id_]
        if id_ in schema.tight:
            return int.from_bytes(self.data[at:at + 6], self.byte_order) & TIGHT_SITE
        return struct.unpack_from(self.order + "H", self.data, at)[0]

    def fields(self, schema, id_, at):
        """
        {name: value} of a record of this event, whose payload is at this offset. One that has the number of
        a task is completed by what records() has last found of the task; fields that another form of the
        event "site" has are 0.
        """
        found = {}
        if schema.events[id_] == "site":
            found = dict.fromkeys((name for other in schema.sites if schema.events[other] == "site"
                                   for name in schema.offsets[other]), 0)
        elif id_ in schema.tasks and "tid" not in schema.offsets[id_]:
            found = self.fields(schema, *self.tasks[self.data[at + schema.tasks[id_]]])
        for name, type_, kind, begin, end, count in schema.fields[id_]:
            value = self.data[at + begin:at + end]
            if type_[0] == "c":
                found[name] = text_of(value)
            elif count > 1:
                size = (end - begin) // count
                found[name] = [self.value(value[i:i + size], type_, kind)
                               for i in range(0, end - begin, size)]
            elif (type_, kind) == ("u48", "site"):
                both = self.value(value, type_, kind)
                found[name] = both & TIGHT_SITE
                found["ptr"] = (both >> 8 & TIGHT_PTR) + self.ptr_base & MASK64
            else:
                found[name] = self.value(value, type_, kind)
        return found

    def value(self, data, type_, kind):
        """The number of a field, or of an element of it."""
        value = int.from_bytes(data, self.byte_order, signed=type_[0] == "s")
        if (type_, kind) == ("u40", "addr"):
            value = value + self.ptr_base & MASK64
        elif (type_, kind) == ("u32", "code") and value:
            value = value + self.text_base & MASK64
        return value


def text_of(data):
    return bytes(data).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


class Schema:
    """One channel of a schema; its classes are numbered from 0 on."""

    def __init__(self, text, channel=KMEM):
        self.channel, self.name = channel, None
        # By name: the class. By id: name, size, class, fields.
        self.classes, self.events, self.sizes, self.class_of, self.fields = {}, {}, {}, {}, {}
        # Of an event: where the number of its site is; where its fields are, by name.
        self.sites, self.offsets = {}, {}
        # Of a site and a stack: where the number of the stack is; of a task, where its number is.
        self.stacks, self.tasks = {}, {}
        # Events whose number of a site and address are one field.
        self.tight = set()
        id_ = None
        for line in bytes(text).decode().splitlines():
            words = line.split(" ")
            if words[0] == "channel" and int(words[1]) == channel:
                self.name = words[2]
            elif words[0] == "class" and int(words[1]) // N_CLASSES == channel - 1:
                self.classes[words[2]] = int(words[1]) % N_CLASSES
            elif words[0] == "event":
                id_ = int(words[2]) if int(words[1]) == channel else None
                if id_ is not None:
                    self.events[id_], self.sizes[id_] = words[3], int(words[5])
                    self.class_of[id_] = self.classes.get(words[4])
                    self.offsets[id_], self.fields[id_] = {}, []
            elif words[0] == "field" and id_ is not None:
                self.add_field(id_, *words[1:5])

    def add_field(self, id_, name, type_, kind, at):
        type_, _, count = type_.partition("x")
        count = int(count or 1)
        size = count * int(type_.lstrip("charus")) // (1 if type_[0] == "c" else 8)
        field = Field(name, type_, kind, int(at), int(at) + size, count)
        if field.end > self.sizes[id_]:
            raise BadFile("event %d: field %s is beyond the payload" % (id_, name))
        self.fields[id_].append(field)
        self.offsets[id_][name] = field.begin
        if kind == "site":
            self.sites[id_] = field.begin
            if type_ == "u48":
                self.tight.add(id_)
        elif kind == "stack":
            self.stacks[id_] = field.begin
        elif kind == "task":
            self.tasks[id_] = field.begin


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
