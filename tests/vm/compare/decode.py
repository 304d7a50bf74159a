#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""An independent decoder, written from Documentation/format.rst alone.

decode.py FILE prints each record as one line of JSON, packets in the order of
the file, and checks all that the specification lets a reader check. Problems
and a summary go to stderr; the exit status is 1 if there are problems.
"""
import json
import struct
import sys
from collections import Counter, namedtuple

try:
    from compression import zstd            # python 3.14 and later
except ImportError:
    zstd = None

MAGIC, MAX_PAYLOAD, MASK64 = b'LTBK', 64 << 20, (1 << 64) - 1
INFO, SCHEMA, PACKET, INDEX, TRAILER = 1, 2, 3, 10, 11
KMEM = 1
CONTEXTS = ('task', 'softirq', 'hardirq', 'nmi')


CRC_TABLE = list(range(256))
for _ in range(8):
    CRC_TABLE = [c >> 1 ^ (0x82f63b78 if c & 1 else 0) for c in CRC_TABLE]


def crc32c(data):
    crc, table = 0xffffffff, CRC_TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def text(data):
    return data.split(b'\0', 1)[0].decode('utf-8', 'surrogateescape')


class Column:
    """Bytes of which some are taken at a time, from the first one on."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        if self.at > len(self.data):
            raise ValueError('a column is too short')
        return self.data[self.at - size:self.at]


def time_delta(lows, highs):
    delta, shift, more = lows.take(1)[0], 8, True
    while more:
        byte = highs.take(1)[0]
        delta, shift, more = delta | (byte & 127) << shift, shift + 7, byte & 128
    if delta >> 24:
        raise ValueError('a time of more than 24 bits')
    return delta


def join_columns(data):
    """The packet that was cut into these columns."""
    order = {b'\xc1\x1f\xfc\xc1': 'little', b'\xc1\xfc\x1f\xc1': 'big'}[data[:4]]
    little = order == 'little'
    size = int.from_bytes(data[8:10], order)
    time = int.from_bytes(data[32:40], order)
    *lengths, shorts, rest, events = struct.unpack_from('<6I', data, size)
    out, at = bytearray(data[:size]), size + 24
    forms = {number: (form & 1, length) for number, form, length
             in struct.iter_unpack('<BBH', data[at:at + 4 * events])}
    at, columns = at + 4 * events, []
    for length in (*lengths, 2 * shorts, 5 * shorts, rest):
        columns.append(Column(data[at:at + length]))
        at += length
    tags, lows, highs, sites, ptrs, rest = columns
    if at != len(data):
        raise ValueError(f'{at} bytes of columns, found {len(data)}')
    for tag in tags.take(len(tags.data)):
        if tag == 63:
            head = rest.take(12)
            time = int.from_bytes(head[3:11], order)
            out += head + rest.take(forms[int.from_bytes(head[1:3], order)][1])
            continue
        time += time_delta(lows, highs)
        low, short, length = time & 0xffffff, *forms[tag & 63]
        word = (tag & 63 | low << 6 | tag >> 6 << 30) if little else (
            (tag & 63) << 26 | low << 2 | tag >> 6)
        out += word.to_bytes(4, order)
        out += sites.take(2) + ptrs.take(5) if short else rest.take(length)
    if any(column.at != len(column.data) for column in columns):
        raise ValueError('bytes are left over')
    return bytes(out)


Event = namedtuple('Event', 'name klass size fields')


class Decoder:
    def __init__(self, data):
        self.data = data
        self.problems = self.records = 0
        self.info, self.classes, self.events = {}, {}, {}
        self.blocks = {}                # offset of a block's header: its type
        self.packets = []               # entries as in INDEX, and the length
        self.streams = {}               # (channel, cpu): state at its last end
        self.common = None              # what is the same in all packets
        self.caches, self.cache_uses, self.complete = {}, set(), True
        self.full = {}                  # event with a site: its full form

    def note(self, message):
        print('decode:', message, file=sys.stderr)

    def problem(self, message):
        self.problems += 1
        self.note('problem: ' + message)

    def run(self):
        if len(self.data) < 16 or self.data[:8] != b'LIFETRAC':
            return self.problem('not a lifetrace file')
        major, minor = struct.unpack_from('<HH', self.data, 8)
        if major != 1:
            return self.problem(f'major version {major}')
        if minor:
            self.note(f'newer minor version {minor}')
        offset = 16
        while offset < len(self.data):
            offset = self.read_block(offset)
        unknown = self.cache_uses - set(self.caches) - {0}
        if unknown and self.complete:
            self.problem(f'cache ids without a meaning: {sorted(unknown)}')

    def block_header(self, offset):
        """The header at offset, or None if there is no right one."""
        header = self.data[offset:offset + 24]
        if len(header) == 24 and header[:4] == MAGIC:
            *fields, crc = struct.unpack('<4xHHIIII', header)
            return fields if crc32c(header[:20]) == crc else None

    def read_block(self, offset):
        """Read the block at offset; return where the next one is."""
        data, where, left = self.data, f'block at {offset}', len(self.data) - offset
        header = self.block_header(offset)
        if not header and (left >= 24 or data[offset:offset + 4] != MAGIC[:left]):
            new = data.find(MAGIC, offset + 1)
            while new >= 0 and not self.block_header(new):
                new = data.find(MAGIC, new + 1)
            new = new if new >= 0 else len(data)
            self.problem(f'{where}: bad header, {new - offset} bytes skipped')
            return new
        if not header or left < 24 + header[2]:
            self.note(f'{where}: torn, {left} bytes')
            return len(data)
        btype, flags, length, unpacked, crc = header
        if TRAILER in self.blocks.values() or not self.blocks and btype != INFO:
            self.problem(f'{where}: behind the trailer, or first and not INFO')
        self.blocks[offset] = btype
        payload = data[offset + 24:offset + 24 + length]
        if max(length, unpacked) > MAX_PAYLOAD:
            self.problem(f'{where}: longer than 64 MiB')
        elif crc32c(payload) != crc:
            self.problem(f'{where}: bad CRC of the payload')
        elif flags & ~3 or not 1 <= btype <= TRAILER:
            self.note(f'{where}: type {btype}, flags {flags:#x} skipped')
        else:
            payload = self.unpack(payload, flags, unpacked, btype, where)
            handler = {INFO: self.read_info, SCHEMA: self.read_schema,
                       PACKET: self.read_packet, INDEX: self.read_index,
                       TRAILER: self.read_trailer}.get(btype)
            if handler and payload is not None:
                handler(payload, offset, where)
        return offset + 24 + length

    def unpack(self, payload, flags, unpacked, btype, where):
        if flags & 2 and (not flags & 1 or btype != PACKET):
            return self.problem(f'{where}: columns, but type {btype}, flags {flags}')
        if flags & 1:
            if not zstd:
                report = self.problem if btype in (SCHEMA, PACKET) else self.note
                return report(f'{where}: no zstd here, type {btype} skipped')
            frame = zstd.ZstdDecompressor()
            try:
                payload = frame.decompress(payload, 2 * MAX_PAYLOAD + (1 << 16) + 1)
            except zstd.ZstdError as error:
                return self.problem(f'{where}: {error}')
            if not frame.eof or frame.unused_data:
                return self.problem(f'{where}: not one zstd frame')
        if flags & 2:
            try:
                payload = join_columns(payload)
            except (ValueError, LookupError, struct.error) as error:
                return self.problem(f'{where}: columns: {error!r}')
        if len(payload) == unpacked:
            return payload
        return self.problem(f'{where}: {len(payload)} bytes, not {unpacked}')

    def read_info(self, payload, offset, where):
        lines = text(payload).split('\n')
        self.info.update(line.split('=', 1) for line in lines if '=' in line)

    def read_schema(self, payload, offset, where):
        event = None
        for line in text(payload).split('\n'):
            word, *rest = line.split(' ')
            try:
                if word == 'lifetrace-schema' and rest[0].split('.')[0] != '1':
                    self.problem(f'{where}: version {rest}')
                elif word == 'class':
                    self.classes[rest[1]] = int(rest[0])
                elif word == 'event':
                    channel, number, name, klass, size = rest[:5]
                    klass = None if klass == '-' else self.classes[klass]
                    event = Event(name, klass, int(size), [])
                    self.events[int(channel), int(number)] = event
                elif word == 'field':
                    name, ftype, kind, at = rest[:4]
                    size = int(ftype.lstrip('charus'))
                    end = int(at) + size // (1 if ftype[0] == 'c' else 8)
                    if end > event.size:
                        raise ValueError('beyond the payload')
                    event.fields.append((name, ftype, kind, int(at), end))
            except (ValueError, LookupError, AttributeError) as error:
                self.problem(f'{where}: {line!r}: {error!r}')
        self.find_full_forms(where)

    def find_full_forms(self, where):
        """Of each short form the largest of its forms that has no site."""
        for (channel, number), event in self.events.items():
            if event.name == 'site' or not self.has_site(event):
                continue
            forms = [e for (c, _), e in self.events.items()
                     if (c, e.name) == (channel, event.name) and not self.has_site(e)]
            self.full[channel, number] = max(forms, key=lambda e: e.size, default=None)
            if not forms:
                self.problem(f'{where}: {event.name} {number} has no full form')

    @staticmethod
    def has_site(event):
        return any(kind == 'site' for _, _, kind, _, _ in event.fields)

    def read_index(self, payload, offset, where):
        whole = len(payload) // 40 * 40
        entries = list(struct.iter_unpack('<QQQQII', payload[:whole]))
        packets = {p[0]: p[:6] for p in self.packets}
        found = [packets.get(at, (at, 0, 0, 0, btype, 0))
                 for at, btype in self.blocks.items() if at != offset]
        if whole < len(payload) or entries != found:
            self.problem(f'{where}: INDEX does not tell the blocks of the file')

    def read_trailer(self, payload, offset, where):
        if len(payload) != 32:
            return self.problem(f'{where}: TRAILER of {len(payload)} bytes')
        index, *numbers = struct.unpack('<QQQQ', payload)
        found = [len(self.blocks), len(self.packets), sum(p[6] for p in self.packets)]
        if self.blocks.get(index) != INDEX or numbers != found:
            self.problem(f'{where}: TRAILER {index}, {numbers}, found {found}')

    def read_packet(self, data, offset, where):
        order = {b'\xc1\x1f\xfc\xc1': '<', b'\xc1\xfc\x1f\xc1': '>'}.get(data[:4])
        if not order or len(data) < 96:
            return self.problem(f'{where}: not a packet')
        (channel, major, minor, page_shift, size, flags, *sizes, cpu, n_counts,
         seq, begin, end, bits, bits2, lost, text_base, ptr_base, session
         ) = struct.unpack_from(order + '4x4B2H4B2I9Q', data)
        where += f': cpu {cpu} channel {channel} packet {seq}'
        self.packets.append((offset, seq, begin, end, cpu, channel, len(data)))
        if major != 1 or not 96 + 48 * n_counts <= size <= len(data) or (
                minor == 0 and (size, n_counts) != (864, 16)):
            return self.problem(f'{where}: version {major}.{minor}, header of '
                                f'{size} bytes, {n_counts} counts')
        if bits != bits2 or bits != len(data) * 8:
            self.problem(f'{where}: {bits}, {bits2} bits, {len(data)} bytes')
        common = {'byte_order': {'<': 'little', '>': 'big'}[order],
                  'page_shift': page_shift, 'size_long': sizes[0],
                  'size_ptr': sizes[1], 'sizes': sizes[2:], 'session': session,
                  'text_base': text_base, 'ptr_base': ptr_base}
        if common != (self.common or common):
            self.problem(f'{where}: {common}, before {self.common}')
        for key in common if not self.common else ():
            said = self.info.get(key, common[key])
            if said != common[key] and int(said, 0) != common[key]:
                self.problem(f'{where}: {key} {common[key]}, in INFO {said}')
        self.common = common

        old_seq, old_end, old_last, old_counts = self.streams.get(
            (channel, cpu), (-1, 0, False, ((0,) * 6,) * n_counts))
        if seq != old_seq + 1:      # the first ones may have been overwritten
            (self.note if old_seq < 0 else self.problem)(
                f'{where}: sequence number after {old_seq}')
            self.complete, old_counts = False, ()
        if not old_end <= begin <= end or old_last:
            self.problem(f'{where}: {begin} to {end}, behind a packet to {old_end} '
                         f'with flags {old_last}')
        counts = list(struct.iter_unpack(order + '6Q', data[96:96 + 48 * n_counts]))
        if lost != sum(sum(c[1:5]) for c in counts):
            self.problem(f'{where}: events lost {lost} is not the sum')
        written, packet = Counter(), {'cpu': cpu, 'channel': channel, 'seq': seq}
        whole = self.read_records(data[:bits // 8], size, packet, common, begin,
                                  end, written, where)
        # Each channel counts its own classes.
        for number, (old, new) in enumerate(zip(old_counts, counts), (channel - 1) * 16):
            seen, *rest = [n - o for n, o in zip(new, old)]
            if min(seen, *rest) < 0:
                self.problem(f'{where}: class {number}: counts decrease')
            if whole and seen != written[number] + sum(rest):
                self.problem(f'{where}: class {number}: seen {seen}, written '
                             f'{written[number]}, lost and filtered {rest}')
        self.complete = self.complete and whole and not lost
        self.streams[channel, cpu] = seq, end, flags & 1, counts

    def read_records(self, data, pos, packet, common, time, end, written, where):
        """Print the records from pos on; False if not all could be read."""
        order, task, first = common['byte_order'], None, pos
        little, sites = order == 'little', {}
        while pos < len(data):
            here = f'{where}: record at {pos}'
            number = data[pos] & 63 if little else data[pos] >> 2
            head = data[pos:pos + (12 if number == 63 else 4)]
            if number == 0 or len(head) < 4 or number == 63 and len(head) < 12:
                self.problem(f'{here}: id 0, or cut off')
                return False
            if number == 63:
                number = int.from_bytes(head[1:3], order)
                now = int.from_bytes(head[3:11], order)
                context = head[11] & 3 if little else head[11] >> 6
            else:
                word = int.from_bytes(head, order)
                context = word >> 30 if little else word & 3
                low = word >> (6 if little else 2) & 0xffffff
                now = time + (low - time & 0xffffff)
            event = self.events.get((packet['channel'], number))
            start = pos + len(head)
            if not event or start + event.size > len(data):
                self.problem(f'{here}: id {number} not known, or cut off')
                return False
            fields = self.read_fields(event, data, start, common)
            if event.name == 'site':
                sites[fields['site']] = fields
            elif (packet['channel'], number) in self.full:
                if fields['site'] not in sites:
                    self.problem(f'{here}: site {fields["site"]} was not told')
                    return False
                fields = self.complete_fields(packet['channel'], number, fields, sites)
            if not time <= now <= end or context == 3:
                self.problem(f'{here}: context {context}, or time {now} is not '
                             f'in {time} to {end}')
            if event.name == 'task':
                task = {'tid': fields['tid'], 'start': fields['start']}
            elif pos == first and packet['channel'] == KMEM:
                self.problem(f'{here}: the first one is not a task')
            elif event.name == 'cache':
                known = self.caches.setdefault(fields['cache'], fields)
                if known['ptr'] != fields['ptr']:
                    self.problem(f'{here}: cache id of another cache')
            self.cache_uses.add(fields.get('cache', 0))
            if event.klass is not None:
                written[event.klass] += 1
            self.records += 1
            print(json.dumps({**packet, 'time': now, 'context': CONTEXTS[context],
                              'event': event.name, 'fields': fields, 'task': task}))
            time, pos = now, start + event.size
        return True

    def complete_fields(self, channel, number, fields, sites):
        """The fields of the full form: the record's own, the rest its site's."""
        fields = {**sites[fields['site']], **fields}
        return {name: fields[name] for name, *_ in self.full[channel, number].fields}

    def read_fields(self, event, data, start, common):
        fields = {}
        for name, ftype, kind, at, end in event.fields:
            value = data[start + at:start + end]
            value = text(value) if ftype[0] == 'c' else int.from_bytes(
                value, common['byte_order'], signed=ftype[0] == 's')
            if (ftype, kind) == ('u40', 'addr'):
                value = value + common['ptr_base'] & MASK64
            elif (ftype, kind) == ('u32', 'code') and value:
                value = value + common['text_base'] & MASK64
            fields[name] = value
        return fields


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: decode.py FILE')
    with open(sys.argv[1], 'rb') as file:
        decoder = Decoder(file.read())
    decoder.run()
    decoder.note(f'{len(decoder.blocks)} blocks, {len(decoder.packets)} packets, '
                 f'{decoder.records} records, {decoder.problems} problems')
    return decoder.problems > 0


if __name__ == '__main__':
    sys.exit(main())
