# SPDX-License-Identifier: GPL-2.0
"""
The table of tests/vm/modules/lt_truth, laid out as in its truth.h, in the byte
order of the machine that wrote it.
"""
import struct

MAGIC = 0x3148545254
MOMENT = "QQQII16sBBBB"
OBJECT = "QQQIiHBBBBH" + MOMENT + MOMENT
HEADER = "QII"
ORDERS = {struct.pack(order + "Q", MAGIC): order for order in "<>"}

KMALLOC, CACHE, BULK, PAGES = 1, 2, 3, 4
KIND_NAMES = {KMALLOC: "kmalloc", CACHE: "cache", BULK: "bulk", PAGES: "pages"}
(ALIVE, KFREE, CACHE_FREE, BULK_FREE, RCU, RCU_HEADLESS, FREE_PAGES) = range(7)
HOW_NAMES = ("alive", "kfree", "kmem_cache_free", "bulk", "rcu", "rcu headless", "pages")
UNUSED, LIVE, DEAD, FAILED = range(4)
BEFORE, DURING, AFTER = range(3)
TASK, SOFTIRQ, HARDIRQ = range(3)
NO_CACHE = 0xFFFF


class Moment:
    __slots__ = ("lo", "hi", "start", "tid", "tgid", "comm", "cpus", "context", "phase")

    def __init__(self, v):
        self.lo, self.hi, self.start, self.tid, self.tgid = v[:5]
        self.comm = v[5].split(b"\0")[0].decode(errors="replace")
        self.cpus = {v[6], v[7]}
        self.context, self.phase = v[8], v[9]


class Object:
    __slots__ = ("index", "ptr", "size", "alloc", "gfp", "node", "cache", "kind", "order",
                 "how", "state", "birth", "death")

    def __init__(self, index, v):
        self.index = index
        (self.ptr, self.size, self.alloc, self.gfp, self.node, self.cache, self.kind,
         self.order, self.how, self.state, _) = v[:11]
        self.birth, self.death = Moment(v[11:21]), Moment(v[21:31])

    @property
    def is_page(self):
        return self.kind == PAGES

    @property
    def in_trace(self):
        """Was it alive while the trace was recorded?"""
        return self.birth.phase != AFTER and not (self.dead and self.death.phase == BEFORE)

    @property
    def dead(self):
        return self.state == DEAD

    @property
    def died_in_trace(self):
        return self.dead and self.death.phase == DURING

    def __str__(self):
        return "object %d (%s %#x, %d bytes, born %d..%d, %s %d..%d)" % (
            self.index, KIND_NAMES.get(self.kind, "?"), self.ptr, self.size, self.birth.lo,
            self.birth.hi, HOW_NAMES[self.how], self.death.lo, self.death.hi)


def rows(path):
    """Each object, in order of birth."""
    with open(path, "rb") as f:
        data = f.read()
    order = ORDERS.get(data[:8])
    if not order:
        raise SystemExit("%s: not a table of lt_truth: magic %s" % (path, data[:8].hex()))
    header, layout = struct.Struct(order + HEADER), struct.Struct(order + OBJECT)
    _, size, n = header.unpack_from(data)
    if size != layout.size or len(data) != header.size + n * size:
        raise SystemExit("%s: not a table of lt_truth: %d rows of %d bytes" % (path, n, size))
    for i, v in enumerate(layout.iter_unpack(memoryview(data)[header.size:])):
        yield Object(i, v)


def read_caches(path):
    """number: (object size, address, name)"""
    caches = {}
    with open(path) as f:
        for line in f:
            number, size, address, name = line.split()
            caches[int(number)] = (int(size), int(address, 16), name)
    return caches


def read_counts(path):
    with open(path) as f:
        return {k: int(v, 0) for k, v in (line.split() for line in f)}
