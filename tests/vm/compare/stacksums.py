# SPDX-License-Identifier: GPL-2.0
"""usage: stacksums.py LIFETRACE TRACE [DEPTH]

Compares `report --by=stack` with sums made here from the packets of a trace: for each stack
its allocations and their bytes. Of the tool's work only the symbols of addresses are used, as
`dump` prints them. What is alive, and the stacks in `lifetimes --json`, are compared with the
report, too. DEPTH: as in --caller-depth. Prints "allocations N", "stacks N", "differences N"
and the first differences.
"""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

import ltfile
from common import dump, lines

FRAME = re.compile(r"[^\s\[\]]+(?: \[\w+\])?")
BIRTHS = ("kmalloc", "kmem_cache_alloc", "bulk_alloc")
CUT = 1
LARGE = 8192    # bytes of the largest slab of kmalloc


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
    (time, address, birth) of each birth and kfree; birth is None or (call site, frames or
    None, whether they were cut, cache, bytes).
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
                    fields["bytes_alloc"] if is_kmalloc else 0)
            elif schema.class_of[id_] == schema.classes["kfree"]:
                yield time, fields["ptr"], None


def births_of(blocks):
    """
    The births. Some kernels trace a kmalloc that is too large for a slab twice, the second
    time from its caller: that is one, with the second call site.
    """
    latest = {}
    for time, ptr, birth in sorted(events_of(blocks), key=lambda event: event[0]):
        before = latest.pop(ptr, None)
        if before and not (birth and birth[4] == before[4] > LARGE):
            yield before
        if birth:
            latest[ptr] = birth
    yield from latest.values()


def caches(blocks):
    """The size of the slots of each cache."""
    found = {}
    for packet, schema in packets(blocks):
        for id_, _, _, at in packet.records(schema):
            if schema.events[id_] == "cache":
                fields = packet.fields(schema, id_, at)
                found[fields["cache"]] = fields["size"]
    return found


def names(tool, trace):
    """The symbol of each address that dump prints."""
    found = {}
    for event, line in zip(dump(tool, trace), lines(tool, "dump", trace)):
        text = line.decode()
        where = re.search(r" call_site=([^\s=]+(?: \[\w+\])?)", text)
        if where and "call_site" in event:
            found[int(event["call_site"], 16)] = where[1]
        at = text.find(" stack=[")
        if at >= 0:
            symbols = FRAME.findall(text[at + 8:])
            found.update(zip((int(a, 16) for a in event["stack"]), symbols))
    return found


def by_hand(tool, trace, depth):
    _, blocks = ltfile.read(trace)
    sizes, symbols, sums = caches(blocks), names(tool, trace), defaultdict(lambda: [0, 0])
    for site, frames, cut, cache, size in births_of(blocks):
        if frames is None and depth != 1:
            key = (symbols[site], None)
        else:
            frames = frames or (site,)
            key = tuple(symbols[f] for f in frames)
            if depth and len(key) >= depth:
                key = key[:depth]
            elif cut:
                key += ("...",)
        sums[key][0] += 1
        sums[key][1] += size if cache is None else sizes.get(cache, 0)
    return dict(sums)


def rows(tool, trace, depth):
    options = ["--caller-depth", str(depth)] if depth else ["--by=stack"]
    report = subprocess.run([tool, "report", "--json", "--self", *options, trace],
                            stdout=subprocess.PIPE, check=True).stdout
    for row in json.loads(report)["rows"]:
        key = (row["site"], None) if row["stack"] is None else tuple(row["stack"])
        yield key, row


def lives(tool, trace, depth):
    """By stack: lifetimes whose birth was seen, and bytes of those that are alive."""
    born, alive = Counter(), Counter()
    for line in lines(tool, "lifetimes", "--json", trace):
        life = json.loads(line)
        if life["birth_ns"] is None or life["kind"].startswith("page"):
            continue
        stack = life["birth_stack"]
        key = tuple(stack) if stack else (life["birth_site"], None)
        if depth and (stack or depth == 1):
            n = len(stack) - (stack[-1] == "...") if stack else 1
            key = key[:depth] if n >= depth else key
        born[key] += 1
        if life["certainty"] == "open":
            alive[key] += life["bytes_alloc"] or life["bytes_req"] or 0
    return born, alive


def main():
    tool, trace = sys.argv[1:3]
    depth = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    hand, faults, listed = by_hand(tool, trace, depth), [], set()
    born, alive = lives(tool, trace, depth)
    for key, row in rows(tool, trace, depth):
        found = [row["allocations"], row["bytes"]]
        if key in listed:
            faults.append(f"{key} is two rows")
        listed.add(key)
        if hand.get(key) != found:
            faults.append(f"{key}: {found}, by hand {hand.get(key)}")
        if [born[key], alive[key]] != [row["allocations"], row["alive_bytes"]]:
            faults.append(f"{key}: lifetimes {born[key]}, {alive[key]} bytes alive, report {row}")
    faults += [f"{key}: no row" for key in hand if key not in listed]
    print("allocations", sum(n for n, _ in hand.values()))
    print("stacks", len(hand))
    print("differences", len(faults))
    for text in faults[:20]:
        print(text)
    sys.exit(bool(faults) or not any(None not in key for key in hand))


main()
