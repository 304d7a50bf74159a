# SPDX-License-Identifier: GPL-2.0
"""The lifetimes that `lifetrace lifetimes --csv` prints, as objects."""
import csv
import glob
import os
from operator import itemgetter

import ltfile
from common import lines

MOMENT = ("ns", "site", "cpu", "ctx", "tid", "tgid", "task_start_ns", "comm")
# What of a row is taken, in the order in which Row takes it.
COLUMNS = ("kind", "certainty", "ended_by", "why", "address", "bytes_req", "bytes_alloc", "cache",
           "page_order", "node", "gfp",
           *("birth_" + name for name in MOMENT), *("death_" + name for name in MOMENT))


class Moment:
    __slots__ = ("time", "site", "cpu", "context", "tid", "tgid", "start", "comm")

    def __init__(self, time, site, cpu, context, tid, tgid, start, comm):
        self.time = int(time)
        self.site = site
        self.cpu = int(cpu)
        self.context = context
        self.tid = int(tid or -1)
        self.tgid = int(tgid or -1)
        self.start = int(start or -1)
        self.comm = comm

    def __str__(self):
        return "%d on cpu %d in %s of %s-%d/%d at %s" % (
            self.time, self.cpu, self.context, self.comm, self.tid, self.tgid, self.site)


class Row:
    __slots__ = ("is_page", "ptr", "kind", "certainty", "ending", "size", "alloc", "cache",
                 "order", "gfp", "node", "birth", "death", "bound")

    def __init__(self, columns, masks, simple):
        (self.kind, self.certainty, self.ending, why, address, size, alloc, self.cache, order, node,
         gfp) = columns[:11]
        birth, death = columns[11:19], columns[19:]
        if simple and why.startswith("not watched"):
            self.certainty = self.certainty_of(self.ending, birth[2], death[2])
        self.is_page = self.kind in ("page", "page_split")
        self.ptr = int(address, 16)
        self.size, self.alloc = int(size or 0), int(alloc or 0)
        self.order, self.node = int(order or 0), int(node or -1)
        self.gfp = masks[gfp]
        # Only a birth or a death that was seen has a CPU.
        self.birth = Moment(*birth) if birth[2] else None
        self.death = Moment(*death) if death[2] else None
        self.bound = int(death[0] or 0)

    @staticmethod
    def certainty_of(ending, birth_cpu, death_cpu):
        """As if everything was watched."""
        if not birth_cpu:
            return "before"
        if ending == "alive":
            return "open"
        return "exact" if death_cpu else "bounded"

    def __str__(self):
        return "%s %s %#x, %d of %d bytes, %s, gfp %#x, born %s, %s %s" % (
            self.certainty, self.kind, self.ptr, self.size, self.alloc, self.cache, self.gfp,
            self.birth, self.ending, self.death)


def gfp_masks(path):
    """The names of allocation flags, from the schema in the trace, or in the first file of a directory."""
    if os.path.isdir(path):
        path = min(glob.glob(os.path.join(path, "*.lt")))
    _, blocks = ltfile.read(path)
    text = next(b.payload for b in blocks if b.type == ltfile.SCHEMA).decode()
    words = (line.split() for line in text.splitlines() if line.startswith("gfp "))
    return {name: int(mask, 16) for _, mask, name in words}


class Masks(dict):
    """The value of each text of allocation flags, from those of its names."""

    def __init__(self, names):
        super().__init__({"": 0})
        self.names = names

    def __missing__(self, text):
        value = 0
        for name in text.split("|"):
            value |= self.names[name] if name in self.names else int(name, 0)
        self[text] = value
        return value


def read(program, path, simple=False):
    """
    Each lifetime of a trace. simple: what was not watched never happened, so that a lifetime which
    is uncertain for that reason alone is the one that it seems to be.
    """
    masks = Masks(gfp_masks(path))
    text = csv.reader(line.decode("utf-8", "backslashreplace")
                      for line in lines(program, "lifetimes", "--absolute", "--csv", path))
    heads = next(text)
    columns = itemgetter(*(heads.index(name) for name in COLUMNS))
    for row in text:
        yield Row(columns(row), masks, simple)
