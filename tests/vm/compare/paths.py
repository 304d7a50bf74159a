#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: paths.py LIFETRACE FILE TRUTH [stacks|stacks-cut]

Compares the lifetimes of a trace with the calls that modules/lt_paths made (TRUTH, its lines):
each object is there once, made within its call, with its sizes, and ended as it was.
"stacks": objects of krealloc have stacks, which go on to the system call; "stacks-cut": which
hold their caller at least, and those of pages of bulk allocations may end in the trampoline.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import subprocess
import sys
from collections import Counter, defaultdict

from common import Faults, print_counts

# The clock may step back by some ns when the kernel adjusts it.
TOLERANCE_NS = 1000
PAGE_KINDS = ("array", "list", "range")
OURS = "[lt_paths]"
TRAMPOLINE = "kretprobe_trampoline+0x0"


def lifetimes(program, path):
    """By space (whether of pages) and address: those whose birth was seen."""
    found = defaultdict(list)
    out = subprocess.run([program, "lifetimes", "--absolute", "--json", path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        life = json.loads(line)
        if life["birth_ns"] is not None:
            found[life["kind"].startswith("page"), int(life["address"], 16)].append(life)
    return found


def state_of(life):
    """What the truth calls the end of a lifetime; None: not sure."""
    if life["certainty"] == "open":
        return "alive"
    return "freed" if life["certainty"] == "exact" else None


def in_call(lives, begin, end):
    return [life for life in lives
            if begin - TOLERANCE_NS <= life["birth_ns"] <= end + TOLERANCE_NS]


def check_range(found, pfn, pages, state, begin, end, counts, faults):
    """Its pages, freed one by one, are lifetimes that cover it without a gap."""
    at, lives = pfn, []
    while at < pfn + pages:
        here = in_call(found[True, at], begin, end)
        if not faults.check(len(here) == 1, "pages of a range", f"{at:#x}: {here}"):
            return
        lives += here
        at += 1 << here[0]["page_order"]
    faults.check(at == pfn + pages, "end of a range", f"{at:#x}, expected {pfn + pages:#x}")
    faults.check({state_of(life) for life in lives} == {state}, "state of a range", lives)
    counts["range_pages"] += pages


def check_stack(life, how, text, counts, faults):
    stack = life["birth_stack"] or []
    faults.check(stack and OURS in stack[0], "no stack", text)
    whole = any(frame.startswith("vfs_read+") for frame in stack)
    counts["whole_stacks"] += whole
    faults.check(whole or how == "stacks-cut", "stack ends", text)


def check_object(found, kind, address, sizes, state, call, how, counts, faults):
    is_page = kind in PAGE_KINDS
    lives = in_call(found[is_page, address], *call)
    text = f"{kind} {address:#x} {sizes} {state}: {lives}"
    if not faults.check(len(lives) == 1, "not there once", text):
        return
    life = lives[0]
    faults.check(state_of(life) == state, "other state", text)
    if kind in ("moved", "resize") and how.startswith("stacks"):
        check_stack(life, how, text, counts, faults)
    site = life["birth_site"] or ""
    cut = is_page and how == "stacks-cut" and site.endswith(TRAMPOLINE)
    faults.check(OURS in site or cut, "other caller", text)
    counts["callers_cut"] += cut
    if is_page:
        faults.check(life["page_order"] == 0, "other order", text)
        return
    faults.check(life["bytes_req"] == sizes[0], "other size", text)
    faults.check(life["bytes_alloc"] >= sizes[1], "slot too small", text)
    last = sizes[1] if kind == "resize" else None
    faults.check(life["bytes_last"] == last, "other last size", text)
    counts["slots_of_nolock"] += kind == "nolock"


def main(program, path, truth, how=""):
    counts, faults, ranges = Counter(), Faults(), []
    found = lifetimes(program, path)
    with open(truth) as f:
        for line in f:
            kind, address, first, last, state, begin, end = line.split()
            counts[kind] += 1
            call = int(begin), int(end)
            if kind == "range":
                ranges.append(range(int(address, 16), int(address, 16) + int(first)))
                check_range(found, int(address, 16), int(first), state, *call, counts, faults)
            else:
                check_object(found, kind, int(address, 16), (int(first), int(last)), state, call,
                             how, counts, faults)
    # Nothing of lt_paths' own must be there that it did not make: births by its code. (Newer
    # kernels come to ranges by way of a function of their own.)
    made = counts["array"] + counts["list"]
    ours = sum(OURS in (life["birth_site"] or "") for (is_page, pfn), lives in found.items()
               for life in lives if is_page and not any(pfn in r for r in ranges))
    # With stacks the module's other pages have callers, too.
    if made and not how:
        faults.check(ours == made, "pages", f"{ours} lifetimes were born in lt_paths, {made} made")
    faults.check(counts["reserve"] == 16, "too few", f"{counts['reserve']} of a reserve")
    faults.check(counts["resize"] >= 50, "too few", f"{counts['resize']} resizes")
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["stacks"], ["stacks-cut"]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
