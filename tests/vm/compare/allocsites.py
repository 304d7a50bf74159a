#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which calls of the module that allocate were seen to fail.

allocsites.py sites KO SOURCE REASONS LOG...
    KO is the module with debugging information, as it ran; SOURCE the directory
    of its sources; REASONS says of calls that cannot be made to fail why, one
    "FILE: CALL: why" a line; LOG is what failnth wrote. A call counts as failed
    when it is the innermost of the module on the stack of a failure. A call that
    never failed, without a reason, is a fault; so is a reason of one that did.

allocsites.py replay LOG...
    Prints "OPERATION NTH" of one failure of each way through the module.
"""

import re
import subprocess
import sys
from pathlib import Path

CALLS = ("kmalloc", "kzalloc", "kcalloc", "kvcalloc", "kvzalloc_node", "kstrdup",
         "kmem_cache_create", "kmem_cache_alloc", "alloc_percpu", "alloc_workqueue", "xa_store",
         "debugfs_create_dir", "debugfs_create_file", "proc_create", "single_open",
         "DEFINE_SHOW_ATTRIBUTE", "relay_open", "tracepoint_probe_register",
         "tracepoint_probe_unregister", "register_kretprobe", "register_ftrace_function",
         "unregister_ftrace_function", "ftrace_set_filter", "kthread_run", "copy_to_user",
         "unregister_kretprobe", "kmem_cache_destroy", "simple_read_from_buffer")
CALL = re.compile(r"(?<![\w\"])(" + "|".join(CALLS) + r")\(")
FRAME = re.compile(r"([\w.]+)\+0x([0-9a-f]+)/0x([0-9a-f]+)\[lifetrace\]")


def code_of(line):
    """Without comments of one line; a line within a longer one begins with a star."""
    line = re.sub(r"/\*.*?\*/", "", line)
    return "" if re.match(r"\s*(\*|/\*)", line) else line


def calls_in(source):
    """{(file, line): name} of each call that allocates; files as they stand below source."""
    found = {}
    for path in sorted(Path(source).rglob("*.[ch]")):
        if "kunit" in path.name or not (path.suffix == ".c" or path.name == "compat.h"):
            continue
        with open(path) as file:
            for number, line in enumerate(file, 1):
                match = CALL.search(code_of(line))
                if match and "check_trace_callback" not in line:
                    found[str(path.relative_to(source)), number] = match[1]
    return found


def failures(paths):
    """(operation, nth, outcome, the frames of the module) of each failure."""
    for path in paths:
        with open(path) as file:
            for line in file:
                operation, nth, outcome, _, stack = line.split(None, 4)
                if stack.strip() != "-":
                    yield operation, int(nth), outcome, FRAME.findall(stack)


class Module:
    """Where in the sources an address of the module is."""

    def __init__(self, path):
        self.path = path
        self.symbols = {}
        self.known = {}
        sections = {}
        output = subprocess.run(["readelf", "-SsW", path], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        for line in output.splitlines():
            match = re.match(r"\s*\[\s*(\d+)\] (\S+)", line)
            if match:
                sections[match[1]] = match[2]
            match = re.match(r"\s*\d+: ([0-9a-f]+)\s+(\d+) FUNC\s+\S+\s+\S+\s+(\d+) (\S+)", line)
            if match:
                self.symbols.setdefault(match[4], []).append(
                    (int(match[1], 16), int(match[2]), sections[match[3]]))

    def line_of(self, frame):
        """(file, line) of the innermost code of the module at a frame; None: not known."""
        if frame not in self.known:
            self.known[frame] = self.look_up(*frame)
        return self.known[frame]

    def look_up(self, name, offset, size):
        if name == ".text":
            return self.place(name, int(offset, 16) - 1)
        # A static name may be there twice, hardly ever with the same size.
        for address, bytes_, section in self.symbols.get(name, []):
            # The kernel counts the padding up to the next symbol, too.
            if not bytes_ <= int(size, 16) < bytes_ + 64:
                continue
            # The return address is behind the call.
            place = self.place(section, address + int(offset, 16) - 1)
            if place:
                return place
        return None

    def place(self, section, at):
        output = subprocess.run(["addr2line", "-i", "-j", section, "-e", self.path, hex(at)],
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in output.splitlines():
            match = re.search(r".*/module/([\w./]+):(\d+)", line)
            if match:
                return match[1], int(match[2])
        return None


def nearest(calls, place):
    """The call that a place belongs to: a statement may go on for some lines."""
    for number in range(place[1], place[1] - 5, -1):
        if (place[0], number) in calls:
            return place[0], number
    return None


def main_sites(ko, source, reasons_path, *logs):
    calls, module = calls_in(source), Module(ko)
    failed, elsewhere, total, ours, refused = {}, set(), 0, 0, 0
    for _, _, outcome, frames in failures(logs):
        total += 1
        refused += outcome != "ok"
        if not frames:
            continue
        ours += 1
        place = module.line_of(frames[0])
        call = nearest(calls, place) if place else None
        if call:
            failed[call] = failed.get(call, 0) + 1
        else:
            elsewhere.add(place or frames[0])

    reasons = {}
    with open(reasons_path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, call, why = line.strip().split(": ", 2)
                reasons[name, call] = why
    faults = 0
    for call in sorted(calls):
        text = f"{call[0]}:{call[1]}: {calls[call]}"
        why = reasons.get((call[0], calls[call]))
        if call in failed:
            print(f"failed {failed[call]} times: {text}")
        elif why:
            print(f"never failed: {text}: {why}")
        else:
            print(f"FAULT: never failed, and suite/alloc-never has no reason: {text}")
            faults += 1
    for key in sorted(reasons):
        if not any((c[0], calls[c]) == key and c not in failed for c in calls):
            print(f"FAULT: the listed call did fail, or is gone: {key[0]}: {key[1]}")
            faults += 1
    for place in sorted(map(str, elsewhere)):
        print(f"FAULT: failed, and is not among the calls that are searched for: {place}")
        faults += 1
    print(f"failures {total}")
    print(f"refused {refused}")
    print(f"failures_in_module {ours}")
    print(f"calls {len(calls)}")
    print(f"failed_calls {len(failed)}")
    print(f"faults {faults}")
    return 1 if faults or not failed else 0


def main_replay(*logs):
    seen = set()
    for operation, nth, _, frames in failures(logs):
        if frames and tuple(frames) not in seen:
            seen.add(tuple(frames))
            print(operation, nth)
    return 0


def main():
    if len(sys.argv) > 5 and sys.argv[1] == "sites":
        return main_sites(*sys.argv[2:])
    if len(sys.argv) > 2 and sys.argv[1] == "replay":
        return main_replay(*sys.argv[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
