#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: kinds.py LIFETRACE FILE ANON CACHE SHMEM

Compares what `lifetrace memory` prints of pages by kind, of a trace of --page-kinds, with the
kernel's own counters, which /proc/meminfo had at the same times; with what tools/fill took in
between (MiB of each kind; FILE is in a tmpfs, too); and its sum with the blocks that the trace has
as born and ended.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import os
import re
import subprocess
import sys
from collections import Counter

import ltfile
from common import Faults, lines, print_counts

MIB = 1 << 20
# A counter of /proc/meminfo lags by up to 125 pages a CPU, and both are read one after the other.
SLACK = 2 * MIB
OTHERS = 12 * MIB       # the recorder and the shells may take so much meanwhile
counts = Counter()


def near(a, b, part=50, moved=0):
    return abs(a - b) <= moved + SLACK + max(a, b) / part


def check_meminfo(kinds, rows, traced, faults):
    """
    At both times: what the kernel counts where it gives pages away, and what they look like. In
    between some were taken or given back, as the trace has it.
    """
    # Not all of a slab's memory is of slabs: blocks of kmalloc that are too large are in Slab, too.
    pairs = (("anon", ("AnonPages", "SwapCached")), ("shmem", ("Shmem",)),
             ("pagetable", ("PageTables",)), ("slab", ("Slab",)))
    for when, moved in ("start_bytes", traced["moved"]), ("end_bytes", traced["late"]):
        def real(*names):
            return sum(rows[name][when] for name in names if name in rows)

        for kind, names in pairs:
            counts[f"{kind}_{when}"] = kinds[kind][when]
            counts[f"{names[0]}_{when}"] = real(*names)
            part = 5 if kind == "slab" else 50
            faults.check(near(kinds[kind][when], real(*names), part, moved),
                         "other than meminfo",
                         f"{when}: {kind} {kinds[kind][when]}, {names} {real(*names)}")
        files = kinds["cache"][when] + kinds["shmem"][when]
        counts[f"files_{when}"], counts[f"Cached_{when}"] = files, real("Cached", "Buffers")
        faults.check(near(files, real("Cached", "Buffers"), moved=moved), "other than meminfo",
                     f"{when}: cache and shmem {files}, {real('Cached', 'Buffers')}")


def check_raw(blocks, size, faults):
    """
    The lines of the recorder add up. What it found free is MemFree, which lacks what the CPUs keep;
    and MemTotal lacks what the kernel has reserved.
    """
    texts = [b.payload.decode() for b in blocks if b.type == ltfile.SLAB]
    faults.check(len(texts) == 2, "readings", len(texts))
    for text in texts:
        pages = {kind: int(n) for kind, n in re.findall(r"^pages (\w+) (\d+)$", text, re.M)}
        total, = re.findall(r"^pages_read (\d+) ns [1-9]\d*$", text, re.M)
        meminfo = {name: int(kib) << 10
                   for name, kib in re.findall(r"^meminfo (\S+) (\d+)$", text, re.M)}
        faults.check(sum(pages.values()) == int(total), "the sum of all kinds", f"{pages}, {total}")
        for name, found in (("MemFree", pages["free"]),
                            ("MemTotal", int(total) - pages["reserved"] - pages["hole"])):
            faults.check(near(found * size, meminfo[name]), "other than meminfo",
                         f"{name} {meminfo[name]}, {found * size}")


def check_filled(kinds, rows, filled, memory, traced, faults):
    """What was taken is there, as the kind that it is; other tasks took and gave back little."""
    for kind, expected in filled.items():
        change = kinds[kind]["change_bytes"]
        counts[f"{kind}_change"] = change
        faults.check(-SLACK <= change - expected <= OTHERS, "filled",
                     f"{kind} {change}, {expected} made")
    # Pages of areas, of per-CPU and of coherent memory are the kernel's, and none of the above.
    areas = rows["VmallocUsed"]["change_bytes"] + rows["Percpu"]["change_bytes"] + traced["dma"]
    other = kinds["other"]["change_bytes"]
    counts["other_change"], counts["areas_change"] = other, areas
    faults.check(memory["vmalloc_made_bytes"] > 8 * MIB and near(other, areas, 20),
                 "other kernel pages",
                 f"{other}, {areas} of vmalloc, per-CPU and coherent memory")


BIRTH = re.compile(rb'"birth_ns": ?(\d+)')
DEATH = re.compile(rb'"death_ns": ?(\d+)')


def read_trace(program, path, size, begin, counted, last):
    """
    What the trace has of blocks of pages, in bytes: `alive` at the end, `gone` of those that were
    there at the first reading, at @counted; `early` of `alive` that were born before it, `moved`
    while it was made, since @begin; `late` that were born or ended since @last, when the last
    reading began; and of coherent memory.
    """
    sums = Counter(alive=0, gone=0, early=0, moved=0, late=0, dma=0)
    for line in lines(program, "lifetimes", "--absolute", "--json", path):
        if b'"kind":"dma"' in line and b'"ended_by":"alive"' in line:
            # The allocator of such memory takes whole blocks.
            sums["dma"] += max(size, 1 << (json.loads(line)["bytes_alloc"] - 1).bit_length())
        # Blocks, whole or a part; there are a million that were born and ended.
        if b'"kind":"page' not in line:
            continue
        counts["blocks"] += 1
        born, died = BIRTH.search(line), DEATH.search(line)
        born, died = int(born.group(1)) if born else 0, int(died.group(1)) if died else None
        if (born >= last) != (died is not None and died >= last):
            sums["late"] += size << json.loads(line)["page_order"]
        if born >= counted:
            if died is None:
                sums["alive"] += json.loads(line)["bytes_alloc"]
            continue
        if died is not None and died < begin:
            continue
        bytes_ = size << json.loads(line)["page_order"]
        if born >= begin or (died is not None and died < counted):
            sums["moved"] += bytes_
        if died is None:
            sums["alive"] += bytes_
            sums["early"] += bytes_
        elif died >= counted:
            sums["gone"] += bytes_
    return sums


def check_trace(memory, traced, faults):
    """Births less deaths of all blocks of pages are the change of what is not free."""
    change = memory["pages_given_away_change_bytes"]
    by_trace = traced["alive"] - traced["early"] - traced["gone"]
    counts["traced_change"], counts["given_away_change"] = by_trace, change
    counts.update({name: traced[name] for name in ("early", "moved", "late")})
    faults.check(abs(change - by_trace) <= traced["moved"] + SLACK + max(change, by_trace) / 50,
                 "change of what is given away", f"{change}, by the trace {by_trace}: {traced}")
    faults.check(near(memory["pages_made_bytes"], traced["alive"]), "blocks alive at the end",
                 f"{memory['pages_made_bytes']}, {traced['alive']}")


def main(program, path, *mib):
    faults = Faults()
    filled = {kind: int(n) * MIB for kind, n in zip(("anon", "cache", "shmem"), mib)}
    filled["shmem"] += os.path.getsize(path)
    blocks = ltfile.read(path)[1]
    info = next(b.payload.decode() for b in blocks if b.type == ltfile.INFO)
    size = 1 << int(re.search(r"^page_shift=(\d+)$", info, re.M).group(1))
    memory = json.loads(subprocess.run([program, "memory", "--json", path], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    kinds = {row["name"]: row for row in memory["page_kinds"]}
    counts["pages"], counts["ns"] = memory["pages_read"], memory["pages_read_ns"]
    rows = {row["name"]: row for row in memory["rows"]}
    check_raw(blocks, size, faults)
    slab = "".join(b.payload.decode() for b in blocks if b.type == ltfile.SLAB)
    counted, last = map(int, re.findall(r"^when=(?:start|end) clock=(\d+)$", slab, re.M))
    took = int(re.search(r"^pages_read \d+ ns (\d+)$", slab, re.M).group(1))
    traced = read_trace(program, path, size, counted - took, counted, last)
    check_meminfo(kinds, rows, traced, faults)
    check_filled(kinds, rows, filled, memory, traced, faults)
    check_trace(memory, traced, faults)
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
