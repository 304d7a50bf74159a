#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: split.py FILE DIR [PARTS [SEED]]

Writes a trace as parts of a recording, DIR/NAME.000000.lt and so on, cut at random times. A
part repeats the texts of the beginning, and a packet that a cut divides stands in both parts.
There are no blocks STATE: a set of all parts needs none.
"""
import random
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "vm/compare"))
import ltfile  # noqa: E402

PART = 15


def text(**lines):
    data = "".join("%s=%s\n" % line for line in lines.items()).encode()
    return ltfile.Block(PART, 0, data, len(data))


class Source:
    """A whole trace: its texts before, between and behind the packets."""

    def __init__(self, path):
        self.head, blocks = ltfile.read(path)
        self.early, self.rest, self.packets = [], [], []
        for block in blocks[:-2]:
            if block.type == ltfile.PACKET:
                self.packets.append((block, ltfile.Packet(block.payload)))
            (self.rest if self.packets else self.early).append(block)
        self.ends = blocks[-2:]

    def cuts(self, n, seed):
        begin = min(p.begin for _, p in self.packets)
        end = max(p.end for _, p in self.packets)
        return sorted(random.Random(seed).sample(range(begin + 1, end), n - 1))


def part_of(source, number, cut, until):
    """The blocks of a part; cut and until are None at the two ends."""
    words = {"set": "1-0123456789abcdef", "part": number}
    if cut is not None:
        words["cut"] = cut
    blocks, late = [*source.early[:2], text(**words), *source.early[2:]], []
    packets = {id(block): p for block, p in source.packets}
    for block in source.rest:
        p = packets.get(id(block))
        if not p:
            late.append(block)
        elif (until is None or p.begin < until) and (cut is None or p.end >= cut):
            blocks.append(block)
    if until is None:
        return [*blocks, *late, *source.ends]
    return [*blocks, text(until=until), *source.ends]


def main(path, directory, parts=4, seed=1):
    source = Source(path)
    cuts = source.cuts(int(parts), int(seed))
    directory.mkdir(parents=True, exist_ok=True)
    for number, (cut, until) in enumerate(zip([None, *cuts], [*cuts, None])):
        name = directory / ("%s.%06d.lt" % (path.stem, number))
        ltfile.write(name, source.head, part_of(source, number, cut, until))


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
