#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: compare.py little|big LIFETRACE TRACE REPORT

REPORT is what `trace-cmd report -t -R` prints of a trace.dat, TRACE what `lifetrace import` made of it.
Every event of REPORT must be in TRACE with its fields, nothing else may be, objects and pages must have
the lifetimes that a pairing of REPORT gives, and none that a loss lies in may be exact. Prints
"ok N events, N lifetimes, N losses".
"""
import bisect
import collections
import csv
import json
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(.*)-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+):\s+(.*)$")
LOST = re.compile(r"^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$")
FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
BIRTHS = {"kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node"}
FREES = {"kfree", "kmem_cache_free"}
wrong = 0


def complain(text):
    global wrong
    wrong += 1
    if wrong <= 10:
        print(text)


def number(text):
    return 0 if text == "(nil)" else int(text, 0)


def args_of(text):
    data = bytes(int(byte, 16) for byte in re.findall(r"[0-9a-f]{2}", text))
    return [int.from_bytes(data[i * 8:i * 8 + 8], ORDER) for i in range(6)]


def report(path):
    """[(time, cpu, tid, event, fields)], [(cpu, time before, time behind, number)]"""
    events, lost, pending, last = [], [], {}, {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            match = LOST.match(line.rstrip())
            if match:
                pending[int(match[1])] = int(match[2] or 0)
            match = LINE.match(line.rstrip("\n"))
            if not match:
                continue
            time, cpu = int(match[4]) * 10**9 + int(match[5]), int(match[3])
            if cpu in pending:
                lost.append((cpu, last.get(cpu, 0), time, pending.pop(cpu)))
            last[cpu] = time
            fields = dict(FIELD.findall(match[7]))
            fields["losses"] = len(lost)
            events.append((time, cpu, int(match[2]), match[6], fields))
    return events, lost


def expected(events, named):
    """What the trace must have, as a Counter of tuples."""
    out, calls, seen = collections.Counter(), {}, set()
    forks = {(f["pid"], t) for t, _, _, e, f in events if e == "task_newtask"}
    forks = {pid for pid, _ in forks}
    for time, cpu, tid, event, f in events:
        if event in BIRTHS and number(f["ptr"]):
            bytes_ = (number(f["bytes_req"]), number(f["bytes_alloc"])) if event.startswith("kmalloc") else ()
            out[time, cpu, tid, event.replace("_node", ""), number(f["ptr"]), number(f["gfp_flags"]), *bytes_] += 1
        elif event in BIRTHS:
            out[time, cpu, tid, "alloc_failed"] += 1
        elif event in FREES and number(f["ptr"]) > 16:
            name = (f["name"],) if named and event == "kmem_cache_free" else ()
            out[time, cpu, tid, event, number(f["ptr"]), *name] += 1
        elif event == "mm_page_alloc":
            out[time, cpu, tid, "page_alloc", number(f["pfn"]), int(f["order"]), number(f["gfp_flags"])] += 1
        elif event == "mm_page_free":
            out[time, cpu, tid, "page_free", number(f["pfn"]), int(f["order"])] += 1
        elif event == "mm_page_free_batched":
            out[time, cpu, tid, "page_free_batched", number(f["pfn"])] += 1
        elif event == "task_newtask":
            out[time, cpu, "task_new", int(f["pid"]), int(f["clone_flags"], 16)] += 1
        elif event == "sched_process_fork" and f["child_pid"] not in forks:
            out[time, cpu, "task_new", int(f["child_pid"]), 0] += 1
        elif event == "sched_process_exec":
            out[time, cpu, "exec", int(f["pid"]), f["filename"]] += 1
            # A thread that is not the leader goes on under the leader's number.
            if int(f["old_pid"]) in calls:
                calls[int(f["pid"])] = calls.pop(int(f["old_pid"]))
        elif event == "sched_process_exit":
            out[time, cpu, "exit", int(f["pid"])] += 1
        elif event == "task_rename":
            out[time, cpu, "rename", int(f.get("pid", tid)), f["oldcomm"], f["newcomm"]] += 1
        elif event == "sys_enter":
            calls[tid] = (time, number(f["id"]), args_of(f["args"]), f["losses"])
        elif event == "sys_exit":
            begin, nr, args, losses = calls.pop(tid, (None, None, None, None))
            got = number(f["id"])
            # Across a loss the begin may be that of another call.
            if begin is not None and got in (nr, -1) and losses == f["losses"]:
                seen.add((tid, begin, nr, tuple(args)))
                out[time, cpu, tid, "sys", nr, number(f["ret"]), time - begin] += 1
            else:
                out[time, cpu, tid, "sys", got, number(f["ret"]), 0] += 1
    return out


def found(lines, named):
    out = collections.Counter()
    for e in lines:
        name, head = e["event"], (e["time"], e["cpu"])
        full = (*head, e.get("tid"))
        if name == "kmalloc":
            out[*full, name, int(e["ptr"], 16), e["gfp_flags"], e["bytes_req"], e["bytes_alloc"]] += 1
        elif name == "kmem_cache_alloc":
            out[*full, name, int(e["ptr"], 16), e["gfp_flags"]] += 1
        elif name == "alloc_failed":
            out[*full, name] += 1
        elif name == "kfree":
            out[*full, name, int(e["ptr"], 16)] += 1
        elif name == "kmem_cache_free":
            out[(*full, name, int(e["ptr"], 16), *((e["cache_name"],) if named else ()))] += 1
        elif name == "page_alloc":
            out[*full, name, e["pfn"], e["order"], e["gfp_flags"]] += 1
        elif name == "page_free":
            out[*full, name, e["pfn"], e["order"]] += 1
        elif name == "page_free_batched":
            out[*full, name, e["pfn"]] += 1
        elif name == "task_new":
            out[*head, name, e["tid"], e["clone_flags"]] += 1
        elif name == "exec":
            out[*head, name, e["tid"], e["file"]] += 1
        elif name == "exit":
            out[*head, name, e["tid"]] += 1
        elif name == "rename":
            out[*head, name, e["tid"], e["old"], e["comm"]] += 1
        elif name == "sys":
            out[*full, name, e["nr"], e["result"], e["duration"]] += 1
        elif name not in ("task", "site", "cache", "syscall_task", "sys_open"):
            complain(f"an event that nobody recorded: {e}")
    return out


def pair(events):
    """(birth, death, address) of objects; the same of pages whose blocks were neither split nor joined."""
    objects, pages, live, blocks = set(), set(), {}, {}
    for time, _, _, event, f in events:
        if event in BIRTHS and number(f["ptr"]):
            live[number(f["ptr"])] = time
        elif event in FREES and number(f["ptr"]) in live:
            objects.add((live.pop(number(f["ptr"])), time, number(f["ptr"])))
        elif event in ("mm_page_alloc", "mm_page_free"):
            pfn, order = number(f["pfn"]), int(f["order"])
            same = blocks.get(pfn)
            if event == "mm_page_free" and same and same[1] == order:
                pages.add((same[0], time, pfn))
            for p in range(pfn, pfn + (1 << order)):
                block = blocks.pop(p, None)
                if block:
                    for q in range(block[2], block[2] + (1 << block[1])):
                        blocks.pop(q, None)
            if event == "mm_page_alloc":
                for p in range(pfn, pfn + (1 << order)):
                    blocks[p] = (time, order, pfn)
    return objects, pages


def main(tool, trace, text):
    def run(*command):
        return subprocess.run([tool, *command], check=True, capture_output=True, encoding="utf-8",
                              errors="surrogateescape").stdout

    events, lost = report(text)
    if not events:
        complain("the report has no events")
    named = any("name" in f for _, _, _, e, f in events if e in BIRTHS)
    must, has = expected(events, named), found(map(json.loads, run("dump", "--json", "--absolute", trace).splitlines()), named)
    for item in list((must - has).items())[:5]:
        complain(f"is missing: {item}")
    for item in list((has - must).items())[:5]:
        complain(f"is not in the report: {item}")

    objects, pages = pair(events)
    starts = sorted(end for _, _, end, _ in lost)
    slab, page = set(), set()
    for row in csv.DictReader(run("lifetimes", "--csv", "--time=clock", trace).splitlines()):
        if not row["birth_ns"] or not row["death_ns"] or row["ended_by"] in ("reborn", "alive", "lost"):
            continue
        birth, death = int(row["birth_ns"]), int(row["death_ns"])
        kind = page if row["kind"].startswith("page") else slab
        kind.add((birth, death, int(row["address"], 0)))
        # The first event behind a loss has the time at which it ends.
        at = bisect.bisect_right(starts, birth)
        if row["certainty"] == "exact" and at < len(starts) and starts[at] <= death:
            complain(f"is exact over a loss: {row}")
    if slab != objects:
        complain(f"lifetimes of objects: {len(objects)} expected, {len(slab)} found, differ: "
                 f"{sorted(slab ^ objects)[:4]}")
    if not pages <= page:
        complain(f"lifetimes of pages are missing: {sorted(pages - page)[:4]} of {len(pages)}")
    sites = {f["call_site"] for _, _, _, e, f in events if e in BIRTHS | FREES and number(f["ptr"]) > 16}
    shown = set(re.findall(r"call_site=([^ ]+)", run("dump", trace)))
    if not any(s.startswith("0x") for s in sites) and sites - shown:
        complain(f"call sites: {sorted(sites - shown)[:4]}")
    if not wrong:
        print(f"ok {sum(must.values())} events, {len(objects) + len(pages)} lifetimes, {len(lost)} losses")
    return wrong != 0


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("little", "big"):
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    ORDER = sys.argv[1]
    sys.exit(main(*sys.argv[2:]))
