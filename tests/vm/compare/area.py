#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: area.py LIFETRACE FILE DIR [pages|resizes]

Compares the lifetimes of vmalloc areas, of per-CPU memory and of coherent memory in a trace with
what was made (DIR/truth, by modules/lt_area), with what /proc/vmallocinfo had at the beginning and
at the end (DIR/before, DIR/after), and with the events that ftrace recorded (DIR/ftrace): of
per-CPU memory where it has the caller, so that those of lt_area are known from others
(on i386 that is the allocator's own __alloc_percpu(): there those are lt_area's that the reader of its
file made); of coherent memory at the addresses of lt_area. DIR/possible: numbers of the possible CPUs. "pages": of vmalloc
only whole pages are recorded. "resizes": the kernel has vrealloc(). DIR/read: seconds since boot, before and after DIR/after was read.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import json
import os
import re
import subprocess
import sys
from collections import Counter

from common import Faults, print_counts

PAGE = 4096
HUGE = 2 << 20
SLACK = 512 << 10       # between readings of VmallocUsed and of /proc/vmallocinfo
LT_AREA = "[lt_area]"
counts = Counter()


def read(directory, name):
    with open(os.path.join(directory, name)) as f:
        return f.read()


def possible_cpus(text):
    """Of a list as "0-3,8"."""
    parts = (part.split("-") for part in text.strip().split(","))
    return sum(int(p[-1]) - int(p[0]) + 1 for p in parts)


def lifetimes(program, path):
    """Those of the three kinds, by kind and address."""
    found = {"vmalloc": {}, "percpu": {}, "dma": {}}
    out = subprocess.run([program, "lifetimes", "--absolute", "--json", path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        life = json.loads(line)
        if life["kind"] in found:
            found[life["kind"]].setdefault(int(life["address"], 16), []).append(life)
    return found


def has(lives, bytes_req, bytes_alloc, state, device, last):
    """Whether one of the lifetimes of an address is this one, and exact. @last: or None."""
    ended = {"alive": ("open", "alive"), "freed": ("exact", None)}[state]
    return any(life["bytes_req"] == bytes_req and life["bytes_alloc"] == bytes_alloc and
               life["cache"] == device and life["bytes_last"] == last and life["certainty"] == ended[0] and
               (not ended[1] or life["ended_by"] == ended[1]) for life in lives)


def check_truth(found, text, cpus, pages, faults):
    for line in text.splitlines():
        kind, address, size, state, *rest = line.split()
        size, address = int(size), int(address, 16)
        device = rest[0] if kind == "dma" else None
        last = int(rest[0]) if kind == "vrealloc" and int(rest[0]) != size else None
        counts["resized"] += last is not None
        if kind == "percpu":
            # The tracepoint passes the size when it was rounded.
            bytes_req = bytes_alloc = -(-size // 4) * 4 * cpus
        else:
            bytes_alloc = -(-size // PAGE) * PAGE
            bytes_req = bytes_alloc if pages and not device else size
            kind = "dma" if device else "vmalloc"
        counts[kind] += 1
        faults.check(has(found[kind].get(address, ()), bytes_req, bytes_alloc, state, device,
                         last),
                     "not as it was made", f"{line}: {found[kind].get(address)}")


def areas(text):
    """The areas of vmalloc in /proc/vmallocinfo: address, bytes without the guard, caller."""
    for begin, end, size, rest in re.findall(r"^0x(\w+)-0x(\w+) +(\d+) (.*)$", text, re.M):
        # Chunks of per-CPU memory are no areas of vmalloc, see coverage.rst.
        if " vmalloc" not in rest or rest.startswith("pcpu_get_vm_areas+"):
            continue
        guard = 0 if " no-guard" in rest else PAGE
        yield int(begin, 16), int(size) - guard, rest.split()[0]


def check_vmallocinfo(found, before, after, read_at, faults):
    """What is new there must have been alive then, with its size and caller; and nothing else."""
    begin, end = read_at
    old, new = {a[0] for a in areas(before)}, {a[0]: a for a in areas(after)}
    alive, surely = {}, set()
    for address, lives in found.items():
        for life in lives:
            born, died = life["birth_ns"], life["death_ns"] or float("inf")
            if born <= end and died >= begin:
                alive.setdefault(address, []).append(life)
            if born < begin and died > end:
                surely.add(address)
    for address, size, caller in new.values():
        if address in old and address not in found:
            continue        # older than the trace
        counts["vmallocinfo"] += 1
        lives = alive.get(address)
        if not faults.check(lives, "in /proc/vmallocinfo, not alive", f"{address:#x} {caller}"):
            continue
        # Of 2 MiB and more the kernel may map huge pages, and rounds the size up to them.
        faults.check(any(life["bytes_alloc"] == size or
                         (size >= HUGE and size == -(-life["bytes_alloc"] // HUGE) * HUGE)
                         for life in lives), "other size", f"{size}: {lives}")
        sites = [life["birth_site"] for life in lives if life["birth_site"]]
        counts["callers"] += bool(sites)
        faults.check(not sites or any(caller.split("/")[0] == site.split()[0] for site in sites),
                     "other caller", f"{caller}: {lives}")
    for address in surely:
        faults.check(address in new, "alive, not in /proc/vmallocinfo", f"{address:#x}")


def check_pages(program, path, truth, after, faults):
    """What the last resize of an area says of its pages, and how many /proc/vmallocinfo has."""
    pages = {int(a, 16): int(n) for a, n in
             re.findall(r"^0x(\w+)-0x\w+ .*\bpages=(\d+)", after, re.M)}
    left = {}
    out = subprocess.run([program, "dump", "--absolute", "--json", path], check=True, stdout=subprocess.PIPE,
                         text=True).stdout
    for line in out.splitlines():
        if '"vresize"' in line:
            event = json.loads(line)
            left[int(event["ptr"], 16)] = event["bytes_req"], event["bytes_alloc"]
    for line in truth.splitlines():
        kind, address, first, state, *last = line.split()
        address = int(address, 16)
        if kind != "vrealloc" or state != "alive" or first == last[0]:
            continue
        counts["resized_alive"] += 1
        req, alloc = left.get(address, (0, 0))
        size = pages.get(address, 0) * PAGE
        counts["resized_pages_known"] += alloc > 0
        faults.check(req == int(last[0]), "other last size", f"{line}: {req}")
        faults.check(size == alloc if alloc else size > -(-req // PAGE) * PAGE, "other pages",
                     f"{line}: {alloc}, /proc/vmallocinfo {size}")


def check_memory(program, path, found, before, after, faults):
    """
    `memory` counts what is open; and the kernel's VmallocUsed changed by that, at the sizes that
    /proc/vmallocinfo has, less what went. Some threads began and ended between the readings.
    """
    memory = json.loads(subprocess.run([program, "memory", "--json", path], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    still = {kind: {address: life["bytes_alloc"] for address, lives in found[kind].items()
                    for life in lives if life["certainty"] == "open"} for kind in found}
    for kind, open_ in still.items():
        if kind == "dma":
            continue        # /proc/meminfo has no row of it
        faults.check(memory[kind + "_made_bytes"] == sum(open_.values()), "memory", kind)
    new = {address: size for address, size, _ in areas(after)}
    gone = sum(size for address, size, _ in areas(before) if address not in new)
    made = sum(new.get(address, size) for address, size in still["vmalloc"].items())
    change = next(r for r in memory["rows"] if r["name"] == "VmallocUsed")["change_bytes"]
    counts["vmalloc_used_change"], counts["vmalloc_made"] = change, made - gone
    faults.check(abs(change - (made - gone)) <= SLACK, "VmallocUsed",
                 f"changed by {change}, {made} made, {gone} gone")


def check_ftrace(found, text, cpus, end, faults):
    """
    Each birth that ftrace has, by a caller in lt_area, and each death at such an address. After
    the time @end, in ns, ftrace may be off.
    """
    births, deaths, begin = Counter(), Counter(), None
    wrapped = "call_site=__alloc_percpu+" in text
    events = re.findall(r"^ *(.+)-\d+ .* (\d+\.\d+): percpu_(alloc|free)_percpu: (.*)", text, re.M)
    for comm, time, name, rest in events:
        ptr = int(re.search(r"\bptr=(?:0x)?(\w+)", rest).group(1), 16)
        if name == "alloc" and (comm == "cat" if wrapped else LT_AREA in rest):
            begin = begin or float(time)
            births[ptr, int(re.search(r"\bsize=(\d+)", rest).group(1)) * cpus] += 1
        elif name == "free" and begin and float(time) * 1e9 <= end:
            deaths[ptr] += 1
    counts["ftrace"] = sum(births.values())
    if not births:
        return
    ours, ended = Counter(), Counter()

    def of_lt_area(life):
        return life["birth_comm"] == "cat" if wrapped else LT_AREA in (life["birth_site"] or "")

    first = min(life["birth_ns"] for lives in found.values() for life in lives
                if of_lt_area(life))
    for address, lives in found.items():
        for life in lives:
            if of_lt_area(life):
                ours[address, life["bytes_req"]] += 1
            ended[address] += life["death_ns"] is not None and first < life["death_ns"] <= end
    addresses = {address for address, _ in births}
    deaths = Counter({a: n for a, n in deaths.items() if a in addresses})
    ended = Counter({a: n for a, n in ended.items() if a in addresses})
    for what, a, b in (("births", ours, births), ("deaths", ended, deaths)):
        for key in (a - b) + (b - a):
            faults.add(f"other {what} than ftrace", f"{key}: {a[key]}, ftrace {b[key]}")


def check_dma(found, truth, text, end, faults):
    """Births and deaths that ftrace has at the addresses of lt_area, with sizes where it has them."""
    addresses = {int(line.split()[1], 16) for line in truth.splitlines()
                 if line.startswith("dma ")}
    events = {"alloc": Counter(), "free": Counter()}
    sizes = set()
    for time, name, rest in re.findall(r" (\d+\.\d+): dma_(alloc|free): (.*)", text):
        ptr = int(re.search(r"\bvirt_addr=(?:0x)?(\w+)", rest).group(1), 16)
        size = re.search(r"\bsize=(\d+)", rest)
        if ptr not in addresses or float(time) * 1e9 > end:
            continue
        events[name][ptr] += 1
        if size:
            sizes.add((ptr, int(size.group(1))))
    counts["ftrace_dma"] = sum(events["alloc"].values())
    ours = {"alloc": Counter(), "free": Counter()}
    known = set()
    for address in addresses:
        for life in found.get(address, ()):
            known.add((address, life["bytes_req"]))
            if life["birth_ns"] is not None and life["birth_ns"] <= end:
                ours["alloc"][address] += 1
            if life["death_ns"] is not None and life["death_ns"] <= end:
                ours["free"][address] += 1
            faults.check(LT_AREA in life["birth_site"], "other caller of dma", life)
    for name, counter in events.items():
        for key in (ours[name] - counter) + (counter - ours[name]):
            faults.add(f"other dma_{name} than ftrace",
                       f"{key:#x}: {ours[name][key]}, ftrace {counter[key]}")
    for key in sizes - known:
        faults.add("other size than ftrace", key)


def main(program, path, directory, options):
    faults = Faults()
    pages, resizes = "pages" in options, "resizes" in options
    cpus = possible_cpus(read(directory, "possible"))
    found = lifetimes(program, path)
    check_truth(found, read(directory, "truth"), cpus, pages, faults)
    begin, end = (float(t) for t in read(directory, "read").split())
    # The clock has hundredths of a second.
    check_vmallocinfo(found["vmalloc"], read(directory, "before"), read(directory, "after"),
                      (begin * 1e9, (end + 0.01) * 1e9), faults)
    if resizes:
        check_pages(program, path, read(directory, "truth"), read(directory, "after"), faults)
        faults.check(counts["resized_alive"] >= 10, "too few", "areas resized and alive")
    check_memory(program, path, found, read(directory, "before"), read(directory, "after"), faults)
    check_ftrace(found["percpu"], read(directory, "ftrace"), cpus, end * 1e9, faults)
    check_dma(found["dma"], read(directory, "truth"), read(directory, "ftrace"), end * 1e9,
              faults)
    for kind, least in (("vmalloc", 300), ("resized", 60 if resizes else 0), ("percpu", 300), ("vmallocinfo", 100),
                        ("dma", 300), ("ftrace_dma", 300)):
        faults.check(counts[kind] >= least, "too few", f"{counts[kind]} {kind}")
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    if len(sys.argv) < 4 or not {"pages", "resizes"}.issuperset(sys.argv[4:]):
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:4], sys.argv[4:]))
