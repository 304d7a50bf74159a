#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: sender.py info TRACE KEY=VALUE...	the trace with other lines in INFO
       sender.py mutate TRACE SEED		the trace, damaged at random
       sender.py endless TRACE			the trace without its end, and packets that never end
       sender.py greet TOKEN CONFIRMED		the greeting of `lifetrace send`
       sender.py feed TRACE			the trace, as fast as it is taken; says how much was
       sender.py prefix TRACE BYTES		how long the whole blocks in so many bytes are
       sender.py cut TRACE RECEIVED		whether RECEIVED is whole blocks from the begin of TRACE
       sender.py twice TOOL DIR TRACE		one stream by two connections: what is wrong then

What a sender may be, on standard output. CRCs of blocks are right where damage is meant to be found behind
them.
"""
import os
import random
import struct
import subprocess
import sys
import time

TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x82f63b78 if number & 1 else 0)
    TABLE.append(number)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def block(kind, payload, flags=0, raw=None):
    head = struct.pack("<IHHIII", 0x4b42544c, kind, flags, len(payload), len(payload) if raw is None else raw,
                       crc32c(payload))
    return head + struct.pack("<I", crc32c(head)) + payload


def blocks(data):
    """(offset, type, flags, end) of each."""
    at = 16
    while at + 24 <= len(data):
        _, kind, flags, length = struct.unpack_from("<IHHI", data, at)
        yield at, kind, flags, at + 24 + length
        at += 24 + length


def read(path):
    with open(path, "rb") as file:
        return file.read()


def info(path, *lines):
    data = read(path)
    begin, kind, flags, end = next(blocks(data))
    assert kind == 1 and not flags
    changed = {line.split("=", 1)[0]: line for line in lines}
    text = data[begin + 24:end].decode().splitlines()
    text = [changed.get(line.split("=", 1)[0], line) for line in text]
    payload = "\n".join(text).encode("utf-8", "surrogateescape") + b"\n"
    # The trailer counts blocks; offsets of the index are for readers, who look at them again.
    return data[:16] + block(1, payload) + data[end:]


def change(chance, data):
    """One change of bytes, anywhere or in the header of a block."""
    data = bytearray(data)
    places = list(blocks(bytes(data)))
    what = chance.randrange(9)
    at, kind, flags, end = chance.choice(places) if places else (0, 0, 0, len(data))
    if what == 0:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif what == 1:
        del data[chance.randrange(len(data)):]
    elif what == 2:
        del data[at:end]
    elif what == 3:
        data[at:at] = data[at:end]
    elif what == 4:
        size = chance.choice([0, 1, 24, 4096])
        data[at:at] = chance.randbytes(size)
    elif what == 5:
        # A block of any type and flags, of any length, with right CRCs.
        payload = chance.randbytes(chance.choice([0, 1, 31, 32, 33, 5000]))
        data[at:at] = block(chance.choice([0, 1, 2, 3, 5, 10, 11, 19, 20, 65535]), payload,
                            chance.choice([0, 0, 0, 1, 2, 3, 4]), chance.choice([None, 0, 1 << 26, 0xffffffff]))
    elif what == 6:
        # A header that is right but for its meaning.
        head = bytearray(data[at:at + 20])
        struct.pack_into("<I", head, chance.choice([8, 12]), chance.choice([0, 1 << 26, (1 << 26) + 1, 0xffffffff]))
        data[at:at + 24] = head + struct.pack("<I", crc32c(bytes(head)))
    elif what == 7:
        data[at + 24:end] = chance.randbytes(min(end - at - 24, 2000))
        data[at:end] = block(kind, bytes(data[at + 24:end])[:2000], flags)
    else:
        data[:16] = chance.randbytes(16)
    return bytes(data)


def mutate(path, seed):
    chance = random.Random(int(seed))
    data = read(path)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        if data:
            data = change(chance, data)
    if chance.randrange(4) == 0:
        confirmed = chance.choice([0, 0, 1000, 20000, len(data), 2 ** 64 - 1])
        data = chance.choice([b"LIFESEND0123456789abcdef%016x\n" % confirmed,
                              b"LIFESEND0123456789abcdef%016x\n" % confirmed,
                              b"LIFESEND../../../../etc/%016x\n" % confirmed, b"LIFESEND" + chance.randbytes(33)]) + data
    return data


def endless(path):
    data = read(path)
    packets = [data[begin:end] for begin, kind, _, end in blocks(data) if kind == 3]
    end = [begin for begin, kind, _, _ in blocks(data) if kind == 10][0]
    sys.stdout.buffer.write(data[:end])
    more = packets[0] * (1 + (1 << 20) // len(packets[0]))
    while True:
        sys.stdout.buffer.write(more)


def feed(path):
    data = read(path)
    for at in range(0, len(data), 65536):
        sys.stdout.buffer.write(data[at:at + 65536])
        sys.stdout.buffer.flush()
        print(at + 65536, file=sys.stderr, flush=True)


def whole_blocks(data):
    end = 16
    for _, _, _, next_end in blocks(data):
        if next_end > len(data):
            break
        end = next_end
    return end


class Connection:
    """A receiver, to which a sender has said the token of its stream."""
    def __init__(self, tool, directory):
        self.process = subprocess.Popen([tool, "receive", "-d", directory, "--keep=40M"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.send(b"LIFESEND0123456789abcdef%016x\n" % 0)
        while not (line := self.process.stdout.readline()).startswith(b"at "):
            assert line == b"wait\n", line
        self.at = int(line.split()[1])

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.read()
        self.process.wait()


def counted(directory):
    with open(os.path.join(directory, ".lifetrace-receive.lock"), "rb") as file:
        return struct.unpack("=Q", file.read(8))[0]


def received(directory):
    return {entry.name: read(entry.path) for entry in os.scandir(directory) if not entry.name.startswith(".")}


def taken(directory):
    return sum(max(len(data), 65536) for data in received(directory).values())


def longer(tool, directory, begin):
    """One ends the stream, and makes it shorter, while the other goes on to make it long."""
    packet = block(8, b"x" * (4 << 20))
    whole = begin + block(11, struct.pack("<QQ", 0, 2) + bytes(16))
    first = Connection(tool, directory)
    first.send(begin + packet[:-1])
    first.end()
    one, other = Connection(tool, directory), Connection(tool, directory)
    assert one.at == other.at == len(begin), (one.at, other.at)
    one.send(whole[len(begin):])
    one.end()
    try:
        other.send(packet[:-1])
    except BrokenPipeError:
        pass
    time.sleep(2)
    if taken(directory) > counted(directory):
        print(f"files take {taken(directory)} bytes, of which {counted(directory)} are counted")
    other.end()
    files = received(directory)
    if list(files.values()) != [whole]:
        print(f"the whole trace of {len(whole)} bytes became {[(name, len(data)) for name, data in files.items()]}")


def at_once(tool, directory, data):
    """None has begun to write when the other one begins."""
    one, other = Connection(tool, directory), Connection(tool, directory)
    one.send(data[:80000])
    time.sleep(2)
    try:
        other.send(data)
    except BrokenPipeError:
        pass
    other.end()
    one.end()
    files = received(directory)
    if [(name[-3:], content) for name, content in files.items()] != [(".lt", data)]:
        print(f"the trace of {len(data)} bytes became {[(name, len(content)) for name, content in files.items()]}")


def twice(tool, directory, path):
    data = read(path)
    longer(tool, directory + "-longer", data[:next(blocks(data))[3]])
    at_once(tool, directory + "-at-once", data)


def main(what, *words):
    if what == "endless":
        endless(*words)
    elif what == "feed":
        feed(*words)
    elif what == "prefix":
        print(whole_blocks(read(words[0])[:int(words[1])]))
    elif what == "cut":
        data = read(words[1])
        return not (read(words[0]).startswith(data) and whole_blocks(data) == len(data))
    elif what == "twice":
        twice(*words)
    elif what == "greet":
        sys.stdout.buffer.write(f"LIFESEND{words[0]}{int(words[1]):016x}\n".encode())
    elif what in ("info", "mutate"):
        sys.stdout.buffer.write({"info": info, "mutate": mutate}[what](*words))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
