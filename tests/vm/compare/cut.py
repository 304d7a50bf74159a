#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: cut.py blocks TOOL FILE
       cut.py cut [--every-byte] ASAN-TOOL TOOL FILE DIR

Checks how the tool reads trace files that end too early.

blocks: the blocks of FILE are whole, one behind the other, up to where it was cut off,
and TOOL reads every packet among them.

cut: copies of FILE are cut at many lengths, in DIR. Each must be read up to its last
whole block, verify must report what is missing, and no tool may crash. With
--every-byte the last blocks are cut at each of their bytes.

Prints a line for each fault, and a summary. The structure of the file is taken from
ltfile, not from the tool.
"""

import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys

import ltfile
from ltfile import PACKET, TRAILER


class Span:
    """Where a block of a file begins, its payload begins, and it ends; and its type."""

    def __init__(self, block, begin, end):
        self.type, self.begin, self.end = block.type, begin, end
        self.payload = begin + ltfile.HEADER.size


def whole_blocks(data):
    """The blocks up to the first that is not whole, and where that is."""
    if len(data) < ltfile.FILE_HEADER.size:
        return [], 0
    if data[:8] != ltfile.FILE_MAGIC:
        raise ValueError('offset 0: no trace file')
    spans, at = [], ltfile.FILE_HEADER.size
    while at + ltfile.HEADER.size <= len(data):
        header = data[at:at + ltfile.HEADER.size]
        magic, *_, header_crc = ltfile.HEADER.unpack(header)
        if magic != ltfile.BLOCK_MAGIC or header_crc != ltfile.crc32c(header[:20]):
            raise ValueError(f'offset {at}: no block header')
        found = ltfile.block_at(data, at)
        if not found or ltfile.crc32c(found[0].stored) != found[0].crc:
            break
        spans.append(Span(found[0], at, found[1]))
        at = found[1]
    return spans, at


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, check=False)


def packets_read(output):
    """How many packets `lifetrace verify` reports as read."""
    found = re.search(rb'bytes, (\d+) packets', output)
    return int(found.group(1)) if found else None


def main_blocks(tool, path):
    with open(path, 'rb') as file:
        data = file.read()
    try:
        blocks, end = whole_blocks(data)
    except (ValueError, struct.error) as error:
        print(f'{path}: {error}')
        return 1
    packets = sum(block.type == PACKET for block in blocks)
    found = packets_read(run(tool, 'verify', path).stdout)
    print(f'{path}: {len(blocks)} whole blocks, {packets} packets of which {found} were read, '
          f'{len(data) - end} bytes behind them')
    # A file without a packet need not be a trace yet.
    return 0 if found == packets or (found is None and not packets) else 1


class Cutter:
    """Cuts a trace and checks how the tool reads the parts."""

    def __init__(self, asan, tool, path, directory):
        self.asan, self.tool, self.directory = asan, tool, directory
        with open(path, 'rb') as file:
            self.data = file.read()
        self.blocks, end = whole_blocks(self.data)
        if end != len(self.data) or self.blocks[-1].type != TRAILER:
            raise ValueError('the file to be cut is not whole')
        self.packet_ends = [b.end for b in self.blocks if b.type == PACKET]
        if len(self.packet_ends) < 2:
            raise ValueError('the file to be cut holds no packets')

    def lengths(self, every_byte):
        """The lengths to cut at."""
        chosen = set()
        # The trailer, the index, what lies before, and the last packet.
        last_packet = [b for b in self.blocks if b.type == PACKET][-1]
        for block in self.blocks[-3:] + [last_packet]:
            size = block.end - block.begin
            step = 1 if every_byte or size < 100 else max(1, size // 40)
            chosen.update(range(block.begin, block.end, step))
        # Around the ends of others, within some, and the very beginning.
        some = self.blocks if every_byte else self.blocks[::max(1, len(self.blocks) // 10)]
        for block in some:
            chosen.update((block.begin - 1, block.begin, block.begin + 1, block.payload,
                           block.payload + 1, (block.payload + block.end) // 2))
        chosen.update(range(0, 60, 1 if every_byte else 7))
        return sorted(n for n in chosen if 0 <= n < len(self.data))

    def faults(self, length):
        """Cuts at one length. Returns the faults that showed."""
        path = os.path.join(self.directory, f'cut-{length}.lt')
        with open(path, 'wb') as file:
            file.write(self.data[:length])
        found = []
        for command in ('verify', 'info', 'lifetimes', 'dump'):
            # The sanitizers slow down what reads all events: not at each length.
            slow = command in ('lifetimes', 'dump')
            if slow and length % 4:
                continue
            done = run(self.tool if slow and length % 16 else self.asan, command, path)
            if done.returncode not in (0, 1, 2) or b'Sanitizer' in done.stdout or \
               b'runtime error' in done.stdout:
                found.append(f'{command}: status {done.returncode}: {done.stdout[-2000:]}')
            found += self.judge(command, length, done)
        os.unlink(path)
        return found

    def judge(self, command, length, done):
        """What is wrong in the output of a command for the first bytes."""
        packets = sum(end <= length for end in self.packet_ends)
        found = []
        if command == 'verify':
            if done.returncode == 0:
                found.append('verify found nothing missing')
            if len(done.stdout.split()) < 5:
                found.append(f'verify printed next to nothing: {done.stdout}')
            if packets and done.returncode != 1:
                found.append(f'verify ended with {done.returncode}, not 1: {done.stdout[-500:]}')
            if packets and packets_read(done.stdout) != packets:
                found.append(f'{packets_read(done.stdout)} packets were read, not {packets}')
        elif packets and done.returncode != 0:
            found.append(f'{command} ended with {done.returncode}: {done.stdout[-500:]}')
        elif not packets and done.returncode == 2 and not done.stdout:
            found.append(f'{command} refused it without a message')
        return found


def main_cut(every_byte, asan, tool, path, directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    cutter = Cutter(asan, tool, path, directory)
    lengths = cutter.lengths(every_byte)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for length, found in zip(lengths, pool.map(cutter.faults, lengths)):
            for fault in found:
                print(f'cut at {length}: {fault}')
            bad += bool(found)
    print(f'{len(lengths)} lengths of a file of {len(cutter.data)} bytes in '
          f'{len(cutter.blocks)} blocks, {len(cutter.packet_ends)} of them packets: '
          f'{bad} with faults')
    return 1 if bad or len(lengths) < 100 else 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == 'blocks':
        return main_blocks(*arguments[1:])
    if arguments[:1] == ['cut']:
        every_byte = '--every-byte' in arguments
        rest = [a for a in arguments[1:] if a != '--every-byte']
        if len(rest) == 4:
            return main_cut(every_byte, *rest)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
