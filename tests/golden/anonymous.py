#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: anonymous.py TOOL TRACE ANONYMOUS

Whether `lifetrace cut --anonymize` left nothing of a trace's names and addresses, in no byte of the
new file, and changed nothing else: the same events, with addresses that all moved by one distance
and names that are replaced one by one. Prints what is wrong; the last line is "N passed, N failed"."""
import ctypes
import json
import re
import subprocess
import sys

TOOL, TRACE, ANONYMOUS = sys.argv[1:]
ADDRESSES = {"ptr": "data", "call_site": "code"}
NAMES = ("comm", "old", "file", "text")
KEPT = "lifetrace: "
passed = failed = 0


def check(what, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print(f"{ANONYMOUS}: {what} {detail}")


def output(*args):
    return subprocess.run([TOOL, *args], capture_output=True, check=False).stdout


def events(path):
    return [json.loads(line) for line in output("dump", "--json", path).splitlines()]


def content(path):
    """The bytes of a file, and behind them what its compressed blocks hold."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_findFrameCompressedSize.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t
    room = 1 << 26
    buf = ctypes.create_string_buffer(room)
    with open(path, "rb") as file:
        raw = file.read()
    parts = [raw]
    for found in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), raw):
        frame = raw[found.start():]
        size = zstd.ZSTD_findFrameCompressedSize(frame, ctypes.c_size_t(len(frame)))
        if size <= len(frame):
            size = zstd.ZSTD_decompress(buf, ctypes.c_size_t(room), frame, ctypes.c_size_t(size))
            parts.append(ctypes.string_at(buf, size) if size <= room else b"")
    return b"\n".join(parts)


def info(key):
    found = re.search(rb"^%s=(.*)$" % key.encode(), BEFORE, re.MULTILINE)
    return found[1] if found else b""


def compare(old, new):
    """Distances of addresses, and what each name became."""
    distances, names, rest = {}, {}, []
    for a, b in zip(old, new):
        for key in a:
            if key in ADDRESSES:
                x, y = int(a[key], 16), int(b[key], 16)
                small = x < 4096
                distances.setdefault("none" if small else ADDRESSES[key], set()).add(y - x)
            elif key in NAMES:
                names.setdefault((key if key != "old" else "comm", a[key]), set()).add(b[key])
            elif key in ("frames", "stack") and isinstance(a[key], list):
                distances.setdefault("code", set()).update(
                    int(y, 16) - int(x, 16) for x, y in zip(a[key], b[key], strict=True)
                    if int(x, 16))
            elif key in ("code", "init"):
                continue
            elif a[key] != b.get(key):
                rest.append((key, a[key], b.get(key)))
    return distances, names, rest


def secrets(old):
    """(what, bytes) of all that must not be in the file."""
    for event in old:
        if len(event.get("comm", "")) > 0:
            yield "name of a task", event["comm"].encode().ljust(16, b"\0")
        for key in ("file", "text"):
            if len(event.get(key, "")) > 3 and not event[key].startswith(KEPT):
                yield key, event[key].encode()
        for key in ADDRESSES:
            addr = int(event.get(key, "0"), 16)
            if addr >= 1 << 33:
                yield "address", addr.to_bytes(8, "little")
                yield "address", addr.to_bytes(8, "big")
            if addr >= 1 << 20:
                yield "address", b"%x" % addr
    for key in ("hostname", "boot_id", "command"):
        if info(key):
            yield key, info(key)
    for key in ("text_base", "ptr_base", "linear_base"):
        if len(info(key)) > 4:
            yield key, info(key)
    for found in re.finditer(rb"^\d+ (/[\x21-\x7e]*)$", BEFORE, re.MULTILINE):
        for name in found[1].split(b"/"):
            if len(name) > 4:
                yield "cgroup", name
    for found in re.finditer(rb"^([0-9a-f]{8,16}) [tTwW] ", BEFORE, re.MULTILINE):
        if int(found[1], 16) >= 1 << 20:
            yield "symbol's address", found[1]


BEFORE, AFTER = content(TRACE), content(ANONYMOUS)
old, new = events(TRACE), events(ANONYMOUS)
check("there are no events", old)
check("other events", len(old) == len(new), f"{len(old)} {len(new)}")
distances, names, rest = compare(old, new)
check("something else changed", not rest, rest[:3])
check("addresses of data did not move by one distance", len(distances.get("data", ())) == 1)
check("addresses of code did not move by one distance", len(distances.get("code", ())) == 1)
check("addresses did not move", 0 not in distances.get("data", {0}) | distances.get("code", {0}))
check("what is no address moved", distances.get("none", {0}) == {0})
check("a name has several names", all(len(one) == 1 for one in names.values()))
for kind in ("comm", "file", "text"):
    became = [next(iter(to)) for (key, _), to in names.items() if key == kind]
    check(f"two names became one ({kind})", len(became) == len(set(became)))
check("a name stayed", all(name in to if not name or name.startswith(KEPT) else name not in to
                           for (_, name), to in names.items()))
todo = set(secrets(old))
left = [(what, secret) for what, secret in todo if secret in AFTER]
check("there is nothing to look for", len(todo) > 100)
# The generated trace has neither.
check("no address of a symbol, or no host, is looked for",
      "hostname" not in {what for what, _ in todo} or
      {"symbol's address", "boot_id", "command"} <= {what for what, _ in todo})
check("the file still has", not left, left[:5])
check("report differs", output("report", "--json", TRACE) == output("report", "--json", ANONYMOUS))
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
