#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: boot.py LIFETRACE FILE DMESG

Checks that a trace is that of a boot from the initramfs on: its first event is not later than
the programs of the initramfs, of which it holds the births; it has the first program of the real
root (systemd, of pid 1), the programs that this starts, and the end of the initramfs' own; and no
event was lost meanwhile.
DMESG is the kernel's log, which has the time when it started the first program.

Prints "key value" lines; exit status 1 when there is a fault.
"""
import os
import re
import sys
from common import Faults, check_loss, dump


def started(path):
    """When the kernel started the initramfs' first program, in s of its log."""
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            found = re.match(r"\[ *(\d+\.\d+)\] Run /init as init process", line)
            if found:
                return float(found[1])
    raise SystemExit(path + ": the kernel started no /init")


def main(program, path, log):
    faults = Faults()
    info, lost = check_loss(faults, program, path)
    execs = [e for e in dump(program, path, "--channel", "pid") if e["event"] == "exec"]
    root = [n for n, e in enumerate(execs) if e["tid"] == 1 and "systemd" in e["file"]]
    if not faults.check(root, "no start", "systemd of the root is not there"):
        return 1
    # With dracut the first program of the initramfs is systemd, too.
    before, after = execs[:root[-1]], execs[root[-1]:]
    names = {os.path.basename(e["file"]) for e in after}
    faults.check(len(before) >= 5, "too few", "%d programs of the initramfs" % len(before))
    faults.check("udevadm" in {os.path.basename(e["file"]) for e in before}, "no udevadm")
    faults.check("systemd-journald" in names, "no journald", sorted(names))
    events = sum(c["seen"] for c in info["classes"])
    print("ms_to_first_event %d" % (info["begin_ns"] / 1e6))
    print("ms_from_init_to_first_event %d" % (info["begin_ns"] / 1e6 - 1e3 * started(log)))
    print("ms_from_init_to_root %d" % (execs[root[-1]]["time"] / 1e6 - 1e3 * started(log)))
    print("programs_of_initramfs %d" % len(before))
    print("programs_of_root %d" % len(after))
    print("events %d" % events)
    print("lost %d" % lost)
    print("bytes %d" % info["bytes"])
    faults.print()
    return 1 if faults.total else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
