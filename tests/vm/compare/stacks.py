# SPDX-License-Identifier: GPL-2.0
"""usage: stacks.py LIFETRACE TRACE DEPTH TIMES TWINS IRQ_ENDS

Compares the stacks of a trace with those that modules/lt_stacks made: each one must be
exactly the functions that called each other. Prints "stacks N", "differences N" and the
first differences. IRQ_ENDS: where stacks end at the entry of what interrupted: "all",
"softirq", "hardirq" or "none".
"""
import re
import subprocess
import sys
from collections import Counter

CONTEXTS = ("task", "softirq", "hardirq")
DEPTHS = (5, 12, 40)
# Stacks of functions that are alike: which ones follows from the size.
TWINS, TWIN_LEVELS = 4096, 8
ENDS = {"all": ("softirq", "hardirq"), "softirq": ("softirq",), "hardirq": ("hardirq",),
        "none": ()}
# Of a stack of pages at most so many frames are the page allocator's, which are not shown.
PAGE_ALLOCATOR = 4
FRAME = re.compile(r"([^\s\[\]]+?)(?:\+0x[0-9a-f]+)(?: \[\w+\])?")
# What is below an interrupt's entry: the task that it interrupted, or the idle loop.
TASK = re.compile(r"do_syscall|entry_SYSCALL|ret_from_fork|do_idle|cpu_startup|vfs_write|^run$")


def stack_of(line):
    """The functions of a line's stack, and whether it was cut; None: it has none."""
    at = line.find(" stack=[")
    if at < 0:
        return None, False
    text = line[at + 8:]
    return FRAME.findall(text), text.rstrip().endswith(" ...]")


def which(line):
    """Context, depth and leaf of an allocation of the module; None: not one of its."""
    size = re.search(r" bytes_req=(\d+)", line)
    pages = re.search(r"\] ([TSH]) .* page_alloc: .* order=([012]) .*\bleaf_page\+", line)
    cache = re.search(r"lt_stacks_(task|softirq|hardirq)_(\d+)\)", line)
    if " kmalloc" in line and size:
        path = int(size.group(1)) - TWINS
        if 0 <= path < 1 << TWIN_LEVELS and "leaf_kmalloc" in line:
            return "twins", path, "leaf_kmalloc"
        context, depth = divmod(int(size.group(1)), 1000)
        if 1 <= context <= 3 and depth in DEPTHS and "leaf_kmalloc" in line:
            return CONTEXTS[context - 1], depth, "leaf_kmalloc"
    if pages:
        return CONTEXTS["TSH".index(pages.group(1))], DEPTHS[int(pages.group(2))], "leaf_page"
    if " kmem_cache_alloc" in line and cache:
        return cache.group(1), int(cache.group(2)), "leaf_cache"
    return None


def fault(found, cut, truth, most, irq_ends):
    """What is wrong with a stack, or None."""
    context, depth, leaf = truth
    if context == "twins":
        calls = [("left", "right")[depth >> i & 1] for i in range(TWIN_LEVELS)]
    else:
        calls = [f"level_{i}" for i in range(1, depth + 1)]
    expected = [leaf] + calls + [f"from_{context}"]
    if found is None:
        return "no stack"
    if len(found) > most:
        return f"{len(found)} frames"
    if leaf == "leaf_page" and cut and len(found) >= most - PAGE_ALLOCATOR:
        most = len(found)
    if found[:len(expected)] != expected[:most]:
        return f"found {found}"
    if cut != (len(found) == most) and len(expected) > most:
        return "not marked as cut"
    # Where ksoftirqd runs a softirq, nothing was interrupted.
    if "run_ksoftirqd" in found:
        return None
    if context in ENDS[irq_ends] and any(TASK.search(f) for f in found[len(expected):]):
        return f"goes on into what was interrupted: {found[len(expected):]}"
    return None


def main():
    """Prints the figures."""
    tool, trace, most, times, twins, irq_ends = sys.argv[1:]
    seen, faults = Counter(), []
    with subprocess.Popen([tool, "dump", trace], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            truth = which(line)
            if not truth:
                continue
            seen[truth] += 1
            wrong = fault(*stack_of(line), truth, int(most), irq_ends)
            if wrong:
                faults.append(f"{truth}: {wrong}")
    for context in CONTEXTS:
        for depth in DEPTHS:
            for leaf in ("leaf_kmalloc", "leaf_cache", "leaf_page"):
                if seen[context, depth, leaf] != int(times):
                    faults.append(f"{context} {depth} {leaf}: {seen[context, depth, leaf]} "
                                  f"of {times}")
    for path in range(1 << TWIN_LEVELS):
        if seen["twins", path, "leaf_kmalloc"] != 2 * int(twins):
            faults.append(f"twins {path}: {seen['twins', path, 'leaf_kmalloc']} of {2 * int(twins)}")
    print("stacks", sum(seen.values()))
    print("differences", len(faults))
    for text in faults[:20]:
        print(text)
    sys.exit(bool(faults) or dump.returncode != 0)


main()
