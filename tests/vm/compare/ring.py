# SPDX-License-Identifier: GPL-2.0
"""
Reads ftrace's ring buffer as the kernel gives it out (trace_pipe_raw), with the layout
of its events from their "format" files. Pages of 4096 bytes; of a machine that is not
little-endian with 64 bits after of_machine().
"""
import re
import struct

PAGE = 4096
TYPE_PADDING, TYPE_TIME_EXTEND, TYPE_TIME_STAMP = 29, 30, 31
MISSED_EVENTS = 1 << 31
FLAG_HARDIRQ, FLAG_SOFTIRQ = 0x08, 0x10
_INTS = {(1, False): "B", (2, False): "H", (4, False): "I", (8, False): "Q",
         (1, True): "b", (2, True): "h", (4, True): "i", (8, True): "q"}


class BadBuffer(Exception):
    pass


class Layout:
    """Byte order, and bytes of a long, of the machine whose buffers are read."""
    order, word = "<", 8


def of_machine(name):
    """By its name in uname -m."""
    Layout.order = ">" if name == "s390x" else "<"
    Layout.word = 8 if name in ("x86_64", "aarch64", "s390x") else 4


def _unpack(code, data, at=0):
    return struct.unpack_from(Layout.order + code, data, at)


def as_text(data):
    """Bytes as lifetrace puts them into JSON."""
    return data.split(b"\0")[0].decode("utf-8", "backslashreplace")


class Format:
    def __init__(self, text):
        self.name = re.search(r"^name: (\S+)", text, re.M).group(1)
        self.id = int(re.search(r"^ID: (\d+)", text, re.M).group(1))
        self.fields = {}
        for decl, offset, size, signed in re.findall(
                r"^\tfield:([^;]*);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);", text, re.M):
            name = decl.split()[-1]
            self.fields[name] = (int(offset), int(size), signed == "1", "__data_loc" in decl)
        # The last field of a stack: as many addresses as there are, whatever its size says.
        self.longs = next((n for n in self.fields if re.match(r"caller\[", n)), None)

    def values(self, data):
        out = {}
        for name, (offset, size, signed, dynamic) in self.fields.items():
            if dynamic:
                where, = _unpack("I", data, offset)
                at, size = where & 0xFFFF, where >> 16
                out[name] = as_text(data[at:at + size])
            elif name == self.longs:
                n = (len(data) - offset) // Layout.word
                code = _INTS[Layout.word, False]
                out["caller"] = list(_unpack(f"{n}{code}", data, offset))
            elif "[" in name:
                out[name.split("[")[0]] = as_text(data[offset:offset + size])
            elif (size, signed) in _INTS:
                out[name], = _unpack(_INTS[size, signed], data, offset)
        return out


def formats(path):
    """From a file with all of them one after the other: id: Format"""
    with open(path) as f:
        texts = re.split(r"^(?=name: )", f.read(), flags=re.M)[1:]
    return {f.id: f for f in map(Format, texts)}


def entries(path):
    """How many events a CPU's "stats" file counts; a buffer that lost some proves nothing."""
    with open(path) as f:
        stats = dict(re.findall(r"^(.*?): (\d+)$", f.read(), re.M))
    for key in ("overrun", "commit overrun", "dropped events"):
        if stats.get(key) != "0":
            raise SystemExit("%s: ftrace lost events: %s %s" % (path, key, stats.get(key)))
    return int(stats["entries"])


def _page(data):
    """(time, payload) of each event in a page."""
    # struct buffer_data_page: time_stamp, commit
    time, commit = _unpack("Q" + _INTS[Layout.word, False], data)
    if commit & MISSED_EVENTS:
        raise BadBuffer("ftrace lost events here")
    at = 8 + Layout.word
    end = at + (commit & 0xFFFFF)
    while at < end:
        word, = _unpack("I", data, at)
        # Bit fields: type_len is the first of them.
        if Layout.order == "<":
            kind, delta = word & 31, word >> 5
        else:
            kind, delta = word >> 27, word & (1 << 27) - 1
        if kind == TYPE_PADDING and delta == 0:
            return
        if kind in (TYPE_TIME_EXTEND, TYPE_TIME_STAMP):
            more, = _unpack("I", data, at + 4)
            value = more << 27 | delta
            time = time + value if kind == TYPE_TIME_EXTEND else value
            at += 8
            continue
        time += delta
        if kind in (0, TYPE_PADDING):
            length, = _unpack("I", data, at + 4)
            if kind == 0:
                yield time, data[at + 8:at + 4 + length]
            at += 4 + length
        else:
            yield time, data[at + 4:at + 4 + kind * 4]
            at += 4 + kind * 4


def events(path, known):
    """(time, Format, values) of each event of one CPU, in the buffer's order."""
    with open(path, "rb") as f:
        raw = f.read()
    if len(raw) % PAGE:
        raise BadBuffer("%s: %d bytes are not whole pages" % (path, len(raw)))
    for at in range(0, len(raw), PAGE):
        for time, data in _page(raw[at:at + PAGE]):
            kind, = _unpack("H", data)
            if kind not in known:
                raise BadBuffer("%s: event of type %d" % (path, kind))
            yield time, known[kind], known[kind].values(data)
