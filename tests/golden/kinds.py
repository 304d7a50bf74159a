#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: kinds.py [--records] [--also HEADER] PATH...

Which kinds of record and of block none of the traces has, of all that the schema declares: the
tables in uapi/schema, and enum lt_block_type. A kind of record is an event of a channel in one of
its forms. A kind that no trace can have is listed here with the reason; one that is listed and
occurs is a fault, too.

PATH is a trace, or a directory that has some, at any depth. --records: blocks do not matter.
--also: one more file with tables of the schema.

The reader is ltfile.py, and the tables are read as text: neither is the reader that is tested.
"""
import argparse
import re
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/vm/compare"))
import ltfile  # noqa: E402

STATE = 14

# What no trace has, and why.
NEVER = {
    ("KMEM", "PAGE_ALLOC_WIDE"): "not written: short forms are completed to it",
    ("KMEM", "PAGE_BULK"): "not written: it has no caller",
}

EVENT = re.compile(r"\bE\((\w+),\s*(\d+),\s*(\w+),")
CHANNEL = re.compile(r"\bX\(arg,\s*(\d+),\s*(\w+),")
BLOCK = re.compile(r"^\tLT_BLOCK_(\w+) = (\d+),", re.M)


def declared(headers):
    """{(channel, name): (channel, id)} of the schema, {name: type} of blocks."""
    channels = {name: int(number) for number, name in
                CHANNEL.findall((TOP / "uapi/lifetrace_schema.h").read_text(encoding="utf-8"))}
    events = {}
    for header in headers:
        for channel, id_, name in EVENT.findall(Path(header).read_text(encoding="utf-8")):
            events[channel, name] = channels[channel], int(id_)
    blocks = (TOP / "uapi/lifetrace_file.h").read_text(encoding="utf-8")
    blocks = blocks[blocks.index("enum lt_block_type"):blocks.index("LT_N_BLOCK_TYPES")]
    return events, {name: int(type_) for name, type_ in BLOCK.findall(blocks)}


def count(path, kinds, types):
    """Counts a trace's blocks, and its records, also those of STATE."""
    _, blocks = ltfile.read(path)
    text = next(b.payload for b in blocks if b.type == ltfile.SCHEMA)
    schemas = {}
    for block in blocks:
        types[block.type] += 1
        if block.type not in (ltfile.PACKET, STATE):
            continue
        p = ltfile.Packet(block.payload)
        schema = schemas.setdefault(p.channel, ltfile.Schema(text, p.channel))
        for id_, *_ in p.records(schema):
            kinds[p.channel, id_] += 1


def lines(events, blocks, kinds, types):
    """What is wrong, a line each."""
    for (channel, name), number in events.items():
        reason = NEVER.get((channel, name))
        if kinds[number] and reason:
            yield "record %s %s: a trace has it, and it is listed: %s" % (channel, name, reason)
        elif not kinds[number] and not reason:
            yield "record %s %s: no trace has it" % (channel, name)
    for kind in sorted(NEVER.keys() - events.keys()):
        yield "record %s %s: it is listed, and the schema does not have it" % kind
    for name, type_ in blocks.items():
        if not types[type_]:
            yield "block %s: no trace has it" % name


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("path", nargs="+", type=Path)
    args = parser.parse_args()
    events, blocks = declared([*sorted((TOP / "uapi/schema").glob("*.h")), *args.also])
    kinds, types = Counter(), Counter()
    for path in args.path:
        for trace in sorted(path.rglob("*.lt")) if path.is_dir() else [path]:
            if trace.is_file():
                count(trace, kinds, types)
    wrong = list(lines(events, {} if args.records else blocks, kinds, types))
    print(*wrong, "kinds of record %d, of block %d" % (len(events), len(blocks)), sep="\n")
    return bool(wrong) or len(events) < 90 or len(blocks) < 15


if __name__ == "__main__":
    sys.exit(main())
