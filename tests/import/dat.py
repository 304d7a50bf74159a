#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: dat.py record FILE [-C CLOCK] [-b KIB] [--text FILE] EVENTS... -- COMMAND...
          dat.py made FILE little|big [LOST] [odd] [dropped] [named]
          dat.py pages FILE [zero|commit PAGE]
          dat.py slim FILE NEW REPORT

Writes a trace.dat of version 6 as trace-cmd.dat.v6(5) describes it: "record" of what this machine's
tracefs records while COMMAND runs, in an instance of its own; "made" of a few events that this file lists,
in a byte order, with so many events lost (-1: their number is not written) on CPU 1;
"odd": with a free that is cut off, and a line in the name of the machine;
"dropped": with 44 events that were lost at a time that is not known;
"named": the events are in a buffer with a name, and the first one is empty;
"pages" of 800 events of 2 CPUs, 40 in a page, the page PAGE of CPU 0 zeros, or with a size that cannot be;
"slim": a copy of a file of version 6 that trace-cmd has recorded (another one: trace-cmd convert), of the kernel's symbols only
those that REPORT, the text of it, names.
"""
import os
import re
import struct
import subprocess
import sys

TRACEFS = "/sys/kernel/tracing"


def text_of(path):
    with open(path, "rb") as file:
        return file.read()


class Dat:
    """A trace.dat in the making; order is "<" or ">"."""

    def __init__(self, order):
        self.order = order
        self.bytes = bytearray(b"\x17\x08\x44tracing6\0")
        self.bytes += bytes([order == ">", 8])
        self.put("I", 4096)

    def put(self, form, *values):
        self.bytes += struct.pack(self.order + form, *values)

    def sized(self, form, data):
        self.put(form, len(data))
        self.bytes += data

    def headers(self, page, event):
        self.bytes += b"header_page\0"
        self.sized("Q", page)
        self.bytes += b"header_event\0"
        self.sized("Q", event)

    def formats(self, ftrace, systems):
        """ftrace: formats; systems: {name: [format]}"""
        self.put("I", len(ftrace))
        for text in ftrace:
            self.sized("Q", text)
        self.put("I", len(systems))
        for name, formats in systems.items():
            self.bytes += name.encode() + b"\0"
            self.put("I", len(formats))
            for text in formats:
                self.sized("Q", text)

    def buffer(self, cpus):
        """cpus: the pages of each CPU"""
        self.bytes += b"flyrecord\0"
        at = (len(self.bytes) + 16 * len(cpus) + 4095) // 4096 * 4096
        for data in cpus:
            self.put("QQ", at, len(data))
            at += len(data)
        self.bytes += bytes(-len(self.bytes) % 4096)
        for data in cpus:
            self.bytes += data

    def rest(self, kallsyms, cmdlines, options, cpus, named=False):
        """options: [(id, bytes)]; cpus: the pages of each CPU; named: in a buffer that has a name"""
        self.sized("I", kallsyms)
        self.sized("I", b"")
        self.sized("Q", cmdlines)
        self.put("I", len(cpus))
        self.bytes += b"options  \0"
        if named:
            # Its place, which comes later, stands before its name.
            options = [*options, (3, bytes(8) + b"mine\0")]
        for number, data in options:
            self.put("HI", number, len(data))
            self.bytes += data
        place = len(self.bytes) - 13
        self.put("H", 0)
        if named:
            self.buffer([b""] * len(cpus))
            struct.pack_into(self.order + "Q", self.bytes, place, len(self.bytes))
        self.buffer(cpus)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)


# ---- what this machine records

def raw_pages(instance, cpu):
    fd = os.open(f"{instance}/per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
    pages = bytearray()
    while True:
        try:
            page = os.read(fd, 4096)
        except BlockingIOError:
            break
        if not page:
            break
        pages += page.ljust(4096, b"\0")
    os.close(fd)
    return pages


def put(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def record(path, clock, kib, events, command, after):
    """after(instance): called before the buffers are read, while nothing is recorded any more."""
    instance = f"{TRACEFS}/instances/lifetrace-import-{os.getpid()}"
    os.mkdir(instance)
    try:
        put(f"{instance}/trace_clock", clock)
        put(f"{instance}/buffer_size_kb", str(kib))
        for event in events:
            put(f"{instance}/events/{event.replace(':', '/')}/enable", "1")
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        put(f"{instance}/tracing_on", "0")
        after(instance)
        n = len([d for d in os.listdir(f"{instance}/per_cpu") if d.startswith("cpu")])
        save(path, clock, events, [raw_pages(instance, cpu) for cpu in range(n)])
    finally:
        for event in events:
            put(f"{instance}/events/{event.replace(':', '/')}/enable", "0")
        os.rmdir(instance)


def save(path, clock, events, cpus):
    events_dir = f"{TRACEFS}/events"
    systems = {}
    for event in events:
        system, name = event.split(":")
        systems.setdefault(system, []).append(text_of(f"{events_dir}/{system}/{name}/format"))
    dat = Dat(">" if sys.byteorder == "big" else "<")
    dat.headers(text_of(f"{events_dir}/header_page"), text_of(f"{events_dir}/header_event"))
    ftrace = [text_of(f"{events_dir}/ftrace/{d}/format") for d in sorted(os.listdir(f"{events_dir}/ftrace"))
              if os.path.exists(f"{events_dir}/ftrace/{d}/format")]
    dat.formats(ftrace, systems)
    uname = os.uname()
    uname = f"{uname.sysname} {uname.nodename} {uname.release} {uname.machine}"
    dat.rest(text_of("/proc/kallsyms"), text_of(f"{TRACEFS}/saved_cmdlines"),
             [(4, f"[{clock}]".encode() + b"\0"), (5, uname.encode() + b"\0")], cpus)
    dat.write(path)


# ---- made

HEADER_PAGE = b"""\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
HEADER_EVENT = b"""# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
COMMON = [("unsigned short", "common_type", "H"), ("unsigned char", "common_flags", "B"),
          ("unsigned char", "common_preempt_count", "B"), ("int", "common_pid", "i")]
# As 6.1 has them: births have no name of a cache, frees do.
FORMATS = {
    "kmem:kmalloc": (100, [("unsigned long", "call_site", "Q"), ("const void *", "ptr", "Q"), ("size_t", "bytes_req", "Q"),
                           ("size_t", "bytes_alloc", "Q"), ("unsigned long", "gfp_flags", "Q"), ("int", "node", "i")]),
    "kmem:kfree": (101, [("unsigned long", "call_site", "Q"), ("const void *", "ptr", "Q")]),
    "kmem:kmem_cache_alloc": (102, [("unsigned long", "call_site", "Q"), ("const void *", "ptr", "Q"),
                                    ("size_t", "bytes_req", "Q"), ("size_t", "bytes_alloc", "Q"),
                                    ("unsigned long", "gfp_flags", "Q"), ("int", "node", "i")]),
    "kmem:kmem_cache_free": (103, [("unsigned long", "call_site", "Q"), ("const void *", "ptr", "Q"),
                                   ("__data_loc char[]", "name", "I")]),
    "kmem:mm_page_alloc": (104, [("unsigned long", "pfn", "Q"), ("unsigned int", "order", "I"),
                                 ("unsigned long", "gfp_flags", "Q"), ("int", "migratetype", "i")]),
    "kmem:mm_page_free": (105, [("unsigned long", "pfn", "Q"), ("unsigned int", "order", "I")]),
    "task:task_newtask": (106, [("pid_t", "pid", "i"), ("char", "comm", "16s"), ("unsigned long", "clone_flags", "Q"),
                                ("short", "oom_score_adj", "h")]),
    "sched:sched_process_exec": (107, [("__data_loc char[]", "filename", "I"), ("pid_t", "pid", "i"),
                                       ("pid_t", "old_pid", "i")]),
    "sched:sched_process_exit": (108, [("char", "comm", "16s"), ("pid_t", "pid", "i"), ("int", "prio", "i")]),
    "raw_syscalls:sys_enter": (109, [("long", "id", "q"), ("unsigned long", "args", "6Q")]),
    "raw_syscalls:sys_exit": (110, [("long", "id", "q"), ("long", "ret", "q")]),
}


def layout(fields):
    """[(type, name, form, offset, size)] with the alignment of C"""
    out, at = [], 0
    for kind, name, form in fields:
        size = struct.calcsize("<" + form)
        align = 1 if form.endswith("s") else min(8, struct.calcsize("<" + form[-1]))
        at += -at % align
        out.append((kind, name, form, at, size))
        at += size
    return out, at + -at % 4


def format_text(name, number, fields):
    lines = [f"name: {name}", f"ID: {number}", "format:"]
    for i, (kind, field, form, offset, size) in enumerate(layout(COMMON + fields)[0]):
        array = {"16s": "[16]", "6Q": "[6]"}.get(form, "")
        signed = int(form in "ihq" or form == "16s")
        lines.append(f"\tfield:{kind} {field}{array};\toffset:{offset};\tsize:{size};\tsigned:{signed};")
        if i == 3:
            lines.append("")
    shown = [field for _, field, form in fields if form in "Qqih" and field != "args"]
    how = {"ptr": "%p", "pfn": "0x%lx", "gfp_flags": "0x%lx", "clone_flags": "%lx"}
    how["call_site"] = "%pS"
    lines += ["", 'print fmt: "' + " ".join(f"{field}={how.get(field, '%ld')}" for field in shown) + '", ' +
              ", ".join(f"{'(void *)' * (field == 'call_site')}REC->{field}" for field in shown), ""]
    return "\n".join(lines).encode()


def payload(order, event, pid, values):
    number, fields = FORMATS[event]
    fields, size = layout(COMMON + fields)
    data, tail = bytearray(size), b""
    values = [number, 0, 0, pid, *values]
    for (kind, _, form, offset, _), value in zip(fields, values):
        if kind.startswith("__data_loc"):
            text = value.encode() + b"\0"
            value = len(text) << 16 | (size + len(tail))
            tail += text
        if form == "16s":
            value = value.encode()
        struct.pack_into(order + form, data, offset, *(value if isinstance(value, tuple) else (value,)))
    data += tail
    return bytes(data) + bytes(-len(data) % 4)


def event_header(order, low, delta):
    """5 bits and 27 bits, of which the first are the lowest bits of a little-endian word."""
    return struct.pack(order + "I", low | delta << 5 if order == "<" else low << 27 | delta)


def page(order, begin, records, lost=0):
    """records: [(time, payload)]"""
    data, last = b"", begin
    for time, body in records:
        if len(body) <= 112:
            data += event_header(order, len(body) // 4, time - last) + body
        else:
            data += event_header(order, 0, time - last) + struct.pack(order + "I", len(body) + 4) + body
        last = time
    commit = len(data)
    if lost:
        commit |= 1 << 31
        if lost > 0:
            commit |= 1 << 30
            data += struct.pack(order + "Q", lost)
    return (struct.pack(order + "QQ", begin, commit) + data).ljust(4096, b"\0")


OBJECT, CODE = 0xffff888100000000, 0xffffffff81000000


def made(path, order, lost, odd, dropped, named):
    s = 1000000000

    def at(time, event, pid, *values):
        return time, payload(order, event, pid, values)

    zero = [
        at(100 * s + 10, "kmem:kmalloc", 500, CODE + 0x110, OBJECT, 60, 64, 0xcc0, -1),
        at(100 * s + 20, "kmem:kmem_cache_alloc", 500, CODE + 0x210, OBJECT + 0x1000, 184, 192, 0xcc0, -1),
        at(100 * s + 30, "kmem:mm_page_alloc", 500, 0x1234, 2, 0xcc0, 1),
        at(100 * s + 40, "task:task_newtask", 500, 501, "sh", 0x1200000, 0),
        at(100 * s + 50, "sched:sched_process_exec", 501, "/usr/bin/true", 501, 501),
        at(100 * s + 60, "raw_syscalls:sys_enter", 500, 0, (3, 0x7000, 10, 0, 0, 0)),
        at(100 * s + 70, "kmem:kfree", 500, CODE + 0x310, OBJECT),
        at(100 * s + 80, "raw_syscalls:sys_exit", 500, 0, 10),
        at(100 * s + 90, "kmem:kfree", 500, CODE + 0x310, 0),
    ]
    if odd:
        zero[6] = zero[6][0], zero[6][1][:16]
    one = [
        at(100 * s + 100, "kmem:kmalloc", 501, CODE + 0x110, OBJECT + 0x2000, 100000, 131072, 0xdc0, 1),
        at(100 * s + 110, "kmem:mm_page_free", 501, 0x1234, 2),
    ]
    two = [
        at(101 * s, "kmem:kmem_cache_free", 501, CODE + 0x410, OBJECT + 0x1000, "filp"),
        at(101 * s + 10, "kmem:kfree", 501, CODE + 0x310, OBJECT + 0x2000),
        at(101 * s + 20, "kmem:kmalloc", 501, CODE + 0x110, OBJECT + 0x3000, 8, 8, 0xcc0, -1),
        at(101 * s + 30, "raw_syscalls:sys_enter", 501, 60, (0, 0, 0, 0, 0, 0)),
        at(101 * s + 40, "sched:sched_process_exit", 501, "true", 501, 120),
    ]
    uname = b"Linux made 6.1.0-1-test s390x" + b"\nhostname=planted" * odd + b"\0"
    stats = b"CPU: 0\nentries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: 44\n\0"
    write_made(path, order, [(5, uname)] + [(2, stats)] * dropped,
               [page(order, 100 * s, zero), page(order, 100 * s, one) + page(order, 101 * s, two, lost)], named)


def write_made(path, order, options, cpus, named=False):
    dat = Dat(order)
    dat.headers(HEADER_PAGE, HEADER_EVENT)
    systems = {}
    for name, (number, fields) in FORMATS.items():
        system, name = name.split(":")
        systems.setdefault(system, []).append(format_text(name, number, fields))
    dat.formats([], systems)
    symbols = "".join(f"{CODE + 0x100 * (i + 1):016x} T {name}\n"
                      for i, name in enumerate(["make_it", "make_other", "free_it", "free_other"]))
    dat.rest(symbols.encode(), b"500 sh\n501 true\n", [(4, b"[mono]\0"), *options], cpus, named)
    dat.write(path)


def pages(path, how, bad):
    """Each object lives for one event, but the last one of a page, which lives over the whole next one."""
    cpus = []
    for cpu in range(2):
        parts = []
        for number in range(10):
            begin, records = 100 * 1000000000 + number * 100000 + cpu * 1000, []
            first = OBJECT + cpu * 0x10000000 + number * 0x10000
            for i in range(20):
                ptr = first + i * 64
                old = ptr if i < 19 else first - 2 * 0x10000 + i * 64
                records += [(begin + 20 * i, payload("<", "kmem:kmalloc", 500, (CODE + 0x110, ptr, 60, 64, 0xcc0, -1))),
                            (begin + 20 * i + 10, payload("<", "kmem:kfree", 500, (CODE + 0x310, old)))]
            part = page("<", begin, records)
            if not cpu and number == bad:
                part = bytes(4096) if how == "zero" else part[:8] + struct.pack("<Q", 0xfffff) + part[16:]
            parts.append(part)
        cpus.append(b"".join(parts))
    write_made(path, "<", [(5, b"Linux made 6.1.0-1-test x86_64\0")], cpus)


# ---- what trace-cmd has recorded

class Recorded:
    """A trace.dat of version 6, read from its begin on."""

    def __init__(self, path):
        self.bytes, self.at = text_of(path), 0
        if self.take(12) != b"\x17\x08\x44tracing6\0"[:12]:
            sys.exit(f"{path}: expected a trace.dat of version 6")
        self.order = ">" if self.take(1)[0] else "<"
        self.take(5)

    def take(self, n):
        self.at += n
        return self.bytes[self.at - n:self.at]

    def number(self, form):
        return struct.unpack(self.order + form, self.take(struct.calcsize(self.order + form)))[0]

    def sized(self, form):
        return self.take(self.number(form))

    def text(self):
        return self.take(self.bytes.index(b"\0", self.at) + 1 - self.at)

    def formats(self):
        return [self.sized("Q") for _ in range(self.number("I"))]

    def options(self):
        while number := self.number("H"):
            yield number, self.sized("I")


def slim(path, new, names):
    r = Recorded(path)
    dat = Dat(r.order)
    headers = [(r.text(), r.sized("Q"))[1] for _ in range(2)]
    dat.headers(*headers)
    ftrace = r.formats()
    systems = {r.text()[:-1].decode(): r.formats() for _ in range(r.number("I"))}
    dat.formats(ftrace, systems)
    named = set(re.findall(rb"[\w.]+", names))
    lines = r.sized("I").splitlines(keepends=True)
    # A function ends where the next one begins.
    kept = [line.split()[2] in named for line in lines]
    kallsyms = b"".join(line for i, line in enumerate(lines) if kept[i] or i and kept[i - 1])
    r.sized("I")
    cmdlines, n_cpus = r.sized("Q"), r.number("I")
    r.text()
    options = list(r.options())
    r.text()
    places = [(r.number("Q"), r.number("Q")) for _ in range(n_cpus)]
    dat.rest(kallsyms, cmdlines, options, [r.bytes[at:at + size] for at, size in places])
    dat.write(new)


def main(args):
    if len(args) == 4 and args[0] == "slim":
        slim(args[1], args[2], text_of(args[3]))
        return
    if len(args) >= 3 and args[0] == "made":
        made(args[1], {"little": "<", "big": ">"}[args[2]], int(args[3]) if len(args) > 3 else 0, "odd" in args, "dropped" in args,
             "named" in args)
        return
    if len(args) >= 2 and args[0] == "pages":
        pages(args[1], args[2] if len(args) > 2 else "", int(args[3]) if len(args) > 3 else -1)
        return
    if len(args) < 4 or args[0] != "record":
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    path, args, clock, kib = args[1], args[2:], "mono", 16384
    copy = None
    while args and args[0].startswith("-"):
        if args[0] == "-C":
            clock = args[1]
        elif args[0] == "-b":
            kib = int(args[1])
        elif args[0] == "--text":
            copy = args[1]
        args = args[2:]
    split = args.index("--")

    def after(instance):
        if copy:
            with open(copy, "wb") as file:
                file.write(text_of(f"{instance}/trace"))

    record(path, clock, kib, args[:split], args[split + 1:], after)


if __name__ == "__main__":
    main(sys.argv[1:])
