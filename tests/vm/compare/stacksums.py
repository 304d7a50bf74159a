# SPDX-License-Identifier: GPL-2.0
"""usage: stacksums.py LIFETRACE TRACE [DEPTH]

Compares `report --by=stack` with sums made here from the packets of a trace: for each stack
its allocations and their bytes, and where only the births at one address in N have their
stack, what these stand for, and the standard errors. Of the tool's work only the symbols of
addresses are used, as `dump` prints them. What is alive, and the stacks in `lifetimes --json`, are compared with the
report, too. DEPTH: as in --caller-depth. Prints "allocations N", "stacks N", "differences N"
and the first differences.
"""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from math import sqrt

import ltfile
from common import dump, lines

FRAME = re.compile(r"[^\s\[\]]+(?: \[\w+\]| \(code that is gone\))?")
BIRTHS = ("kmalloc", "kmem_cache_alloc", "bulk_alloc")
CUT = 1
LARGE = 8192    # bytes of the largest slab of kmalloc
MASK32 = (1 << 32) - 1


def chosen(ptr, one_in):
    """Whether the stack of a birth at an address is recorded, see format.rst, INFO."""
    return (ptr >> 3 & MASK32) * 0x85EBCA6B & MASK32 < (1 << 32) // one_in


def info_of(blocks):
    text = next(b.payload for b in blocks if b.type == ltfile.INFO).decode(errors="replace")
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def clock_is_ns(blocks):
    return info_of(blocks)["clock_freq"] == "1000000000"


def weigher(blocks):
    """A function: for how many births one stands, of (kind, address, requested bytes)."""
    info = info_of(blocks)
    one_in, least = int(info["stacks"]), int(info["stack_min"])

    def weight(kind, ptr, requested):
        if one_in < 2 or kind in ("bulk_alloc", "bulk") or (least and requested >= least):
            return 1
        return one_in if chosen(ptr, one_in) else 0
    return weight


def packets(blocks):
    schema = None
    for block in blocks:
        if block.type == ltfile.SCHEMA:
            schema = ltfile.Schema(block.payload)
        elif block.type == ltfile.PACKET:
            packet = ltfile.Packet(block.payload)
            if packet.channel == ltfile.KMEM:
                yield packet, schema


def events_of(blocks):
    """
    (time, address, birth) of each event of an object; birth is None if it is another one, or
    (call site, frames or None, whether they were cut, cache, bytes, kind, requested bytes or None).
    """
    for packet, schema in packets(blocks):
        classes = {schema.classes[name] for name in BIRTHS}
        sites, stacks = {}, {0: (None, False)}
        for id_, _, time, at in packet.records(schema):
            name, fields = schema.events[id_], packet.fields(schema, id_, at)
            if name == "stack":
                stacks[fields["stack"]] = (tuple(fields["frames"][:fields["n_frames"]]),
                                           bool(fields["flags"] & CUT))
            elif name == "site":
                sites[fields["site"]] = (fields, stacks[fields["stack"]])
            elif schema.class_of[id_] in classes:
                stack = (None, False)
                if "site" in fields:
                    of_site, stack = sites[fields["site"]]
                    fields = {**of_site, **fields}
                is_kmalloc = schema.class_of[id_] == schema.classes["kmalloc"]
                yield time, fields["ptr"], (
                    fields["call_site"], *stack, None if is_kmalloc else fields["cache"],
                    fields["bytes_alloc"] if is_kmalloc else 0, name,
                    fields["bytes_req"] if is_kmalloc else None)
            elif "ptr" in fields:
                yield time, fields["ptr"], None


def births_of(blocks):
    """
    (time, address, birth) of the births. Some kernels trace a kmalloc that is too large for a slab
    twice, one directly after the other, the second time from its caller: that is one, with the
    second call site.
    """
    latest = {}
    for time, ptr, birth in sorted(events_of(blocks), key=lambda event: event[0]):
        before = latest.pop(ptr, None)
        if before and not (birth and birth[4] == before[2][4] > LARGE):
            yield before
        if birth:
            latest[ptr] = time, ptr, birth
    yield from latest.values()


def caches(blocks):
    """The size of the slots of each cache, and that of its objects."""
    found = {}
    for packet, schema in packets(blocks):
        for id_, _, _, at in packet.records(schema):
            if schema.events[id_] == "cache":
                fields = packet.fields(schema, id_, at)
                found[fields["cache"]] = fields["size"], fields["object_size"]
    return found


def names(tool, trace):
    """The symbol of each address that dump prints."""
    found = {}
    for event, line in zip(dump(tool, trace), lines(tool, "dump", trace)):
        text = line.decode()
        where = re.search(r" call_site=([^\s=]+(?: \[\w+\]| \(code that is gone\))?)", text)
        if where and "call_site" in event:
            found[int(event["call_site"], 16)] = where[1]
        at = text.find(" stack=[")
        if at >= 0:
            symbols = FRAME.findall(text[at + 8:])
            found.update(zip((int(a, 16) for a in event["stack"]), symbols))
    return found


def by_hand(tool, trace, depth, weight, blocks, end):
    """
    By stack: allocations until the end of the trace, bytes, and the variances of these two.
    What was recorded while the probes were being detached is no part of the trace.
    """
    sizes, symbols, sums = caches(blocks), names(tool, trace), defaultdict(lambda: [0, 0, 0, 0])
    at_address = defaultdict(lambda: [0, 0])
    for time, ptr, (site, frames, cut, cache, size, kind, requested) in births_of(blocks):
        if time > end:
            continue
        if cache is not None:
            size, requested = sizes.get(cache, (0, 0))
        factor = weight(kind, ptr, requested)
        if not factor:
            continue
        if frames is None and depth != 1:
            key = (symbols[site], None)
        else:
            frames = frames or (site,)
            key = tuple(symbols[f] for f in frames)
            if depth and len(key) >= depth:
                key = key[:depth]
            elif cut:
                key += ("...",)
        for n, value in enumerate((1, size)):
            sums[key][n] += factor * value
            if factor > 1:
                at_address[key, ptr, factor][n] += value
    for (key, _, factor), values in at_address.items():
        for n, value in enumerate(values):
            sums[key][2 + n] += factor * (factor - 1) * value * value
    return dict(sums)


def report_of(tool, trace, depth):
    options = ["--caller-depth", str(depth)] if depth else ["--by=stack"]
    report = subprocess.run([tool, "report", "--json", "--self", "--absolute", *options, trace],
                            stdout=subprocess.PIPE, check=True).stdout
    return json.loads(report)


def rows(report):
    for row in report["rows"]:
        key = (row["site"], None) if row["stack"] is None else tuple(row["stack"])
        yield key, row


def lives(tool, trace, depth, weight):
    """
    By stack: lifetimes whose birth was seen, and bytes of those that are alive, with the
    variance of these bytes.
    """
    born, alive, squares = Counter(), Counter(), Counter()
    for line in lines(tool, "lifetimes", "--absolute", "--json", trace):
        life = json.loads(line)
        if life["birth_ns"] is None or life["kind"].startswith("page"):
            continue
        factor = weight(life["kind"], int(life["address"], 16), life["bytes_req"] or 0)
        if not factor:
            continue
        stack = life["birth_stack"]
        key = tuple(stack) if stack else (life["birth_site"], None)
        if depth and (stack or depth == 1):
            n = len(stack) - (stack[-1] == "...") if stack else 1
            key = key[:depth] if n >= depth else key
        born[key] += factor
        if life["certainty"] == "open":
            size = life["bytes_alloc"] or life["bytes_req"] or 0
            alive[key] += factor * size
            squares[key] += factor * (factor - 1) * size * size
    return born, alive, squares


def errors(row, hand, square):
    """The standard errors of a row that are wrong, by more than what rounding does."""
    true = {"allocations_se": hand[2], "bytes_se": hand[3], "alive_bytes_se": square}
    return [f"{name} {row[name]}, by hand {sqrt(true[name])}" for name in true
            if name in row and abs(row[name] - sqrt(true[name])) > 0.5001]


def main():
    tool, trace = sys.argv[1:3]
    depth = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    _, blocks = ltfile.read(trace)
    weight, faults, listed = weigher(blocks), [], set()
    report = report_of(tool, trace, depth)
    # Times of packets are ns only with some clocks.
    end = report["end_ns"] if clock_is_ns(blocks) else float("inf")
    hand = by_hand(tool, trace, depth, weight, blocks, end)
    born, alive, squares = lives(tool, trace, depth, weight)
    for key, row in rows(report):
        found = [row["allocations"], row["bytes"]]
        if key in listed:
            faults.append(f"{key} is two rows")
        listed.add(key)
        faults += [f"{key}: {text}" for text in errors(row, hand[key], squares[key])]
        if hand[key][:2] != found:
            faults.append(f"{key}: {found}, by hand {hand.get(key)}")
        if [born[key], alive[key]] != [row["allocations"], row["alive_bytes"]]:
            faults.append(f"{key}: lifetimes {born[key]}, {alive[key]} bytes alive, report {row}")
    faults += [f"{key}: no row" for key in hand if key not in listed]
    print("allocations", sum(sums[0] for sums in hand.values()))
    print("stacks", len(hand))
    print("differences", len(faults))
    for text in faults[:20]:
        print(text)
    sys.exit(bool(faults) or not any(None not in key for key in hand))


if __name__ == "__main__":
    main()
