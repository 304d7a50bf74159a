#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: stacksample.py LIFETRACE TRACE COPY N [CHANGE]

Writes a copy of a trace with the stacks of all births, in which only the births at one address
in N have theirs, as if it had been recorded so, and compares `report --by=stack` of both:
allocations, bytes and what is alive of each stack must be within three standard errors of the
true number where at least ADDRESSES chosen addresses stand behind it. Sizes and reuse of
addresses are far from normally distributed, and the numbers of one stack go together, so of a
hundred such numbers ten may lie outside.
CHANGE multiplies the estimates by a number: a planted fault.

Prints "key value" lines; exit status 1 when too many are outside, or few were compared.
"""
import json
import subprocess
import sys
from collections import Counter
from math import hypot

import ltfile
from common import print_counts
from stacksums import chosen

ADDRESSES, LEAST = 10, 20
COLUMNS = ("allocations", "bytes", "alive", "alive_bytes")
TWIN = 0x8000           # added to the number of a site: the same, without its stack
SHORT = ("kmalloc", "kmem_cache_alloc")


def announced_twice(data, packet, schema, one_in):
    """The records of a packet, in which the births at other addresses use sites without stack."""
    out, begin = bytearray(data[:packet.header_size]), packet.header_size
    for id_, _, _, at in packet.records(schema):
        end, name = at + schema.sizes[id_], schema.events[id_]
        record, payload = bytearray(data[begin:end]), at - begin
        offsets = schema.offsets[id_]
        if name == "site":
            out += record
            number = packet.fields(schema, id_, at)["site"] | TWIN
            put(record, payload + offsets["site"], packet, number)
            if "stack" in offsets:
                put(record, payload + offsets["stack"], packet, 0)
        elif name in SHORT and "site" in offsets:
            fields = packet.fields(schema, id_, at)
            if id_ in schema.tight:
                record = in_short_form(record[:payload], packet, schema, name, fields)
            if not chosen(fields["ptr"], one_in):
                put(record, payload + offsets["site"], packet, fields["site"] | TWIN)
        out += record
        begin = end
    size = packet.number(len(out) * 8, 8)
    out[48:56], out[56:64] = size, size
    return bytes(out)


def in_short_form(head, packet, schema, name, fields):
    """A record of the tight form, whose numbers of sites are too small for twins."""
    short, = (i for i in schema.sites if schema.events[i] == name and i not in schema.tight)
    if len(head) > 4:
        put(head, 1, packet, short)
    else:
        word = int.from_bytes(head, packet.byte_order)
        word = word & 0x03FFFFFF | short << 26 if packet.is_big else word & ~63 | short
        head[:] = packet.number(word, 4)
    return head + packet.number(fields["site"], 2) + packet.number(fields["ptr"] - packet.ptr_base, 5)


def put(record, at, packet, value):
    record[at:at + 2] = packet.number(value, 2)


def sampled(source, target, one_in):
    head, blocks = ltfile.read(source)
    schema = None
    for n, block in enumerate(blocks):
        if block.type == ltfile.SCHEMA:
            schema = ltfile.Schema(block.payload)
        elif block.type == ltfile.INFO:
            text = block.payload.decode(errors="surrogateescape")
            if "\nstacks=1\n" not in text:
                raise SystemExit(f"{source}: not all births have their stack")
            text = text.replace("\nstacks=1\n", f"\nstacks={one_in}\n")
            blocks[n] = block.replace(text.encode(errors="surrogateescape"))
        elif block.type == ltfile.PACKET:
            packet = ltfile.Packet(block.payload)
            if packet.channel == ltfile.KMEM:
                blocks[n] = block.replace(
                    announced_twice(block.payload, packet, schema, one_in))
    ltfile.write(target, head, blocks)


def rows(tool, trace):
    report = subprocess.run([tool, "report", "--json", "--self", "--by=stack", trace],
                            stdout=subprocess.PIPE, check=True).stdout
    report, found = json.loads(report), {}
    for row in report["rows"]:
        key = tuple(row["stack"] or [row["site"]])
        into = found.setdefault(key, Counter())
        # Two calls in one function, or two ends of a stack, may have one text.
        for column in COLUMNS:
            into[column] += row[column]
            into[column + "_se"] = hypot(into[column + "_se"], row.get(column + "_se", 0))
    return report, found


def main(tool, source, target, one_in, change):
    counts, outside = Counter(), []
    sampled(source, target, one_in)
    exact, truth = rows(tool, source)
    report, found = rows(tool, target)
    if "stacks_one_in" in exact or report["stacks_one_in"] != one_in:
        raise SystemExit("the reports are not of all, and of some stacks")
    counts["allocations"] = sum(r["allocations"] for r in truth.values())
    counts["estimated"] = sum(r["allocations"] for r in found.values())
    counts["stacks"], counts["seen"] = len(truth), len(found)
    for key, row in found.items():
        for column in COLUMNS:
            error, value = row[column + "_se"], row[column] * change
            # (value / error)^2 is the number of addresses, were they alike.
            if not error or (row[column] / error) ** 2 < ADDRESSES:
                continue
            off = abs(value - truth[key][column]) / error
            counts["compared"] += 1
            counts["within_1"] += off <= 1
            counts["within_3"] += off <= 3
            if off > 3:
                outside.append(f"{column} {value} ± {error}, true {truth[key][column]}: {key}")
    print_counts(counts)
    print("outside", len(outside))
    for text in outside[:10]:
        print(text[:300])
    faults = counts["compared"] < LEAST or len(outside) * 10 > counts["compared"]
    print("faults", int(faults))
    sys.exit(faults)


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        raise SystemExit(__doc__)
    main(*sys.argv[1:4], int(sys.argv[4]), float(sys.argv[5]) if len(sys.argv) == 6 else 1)
