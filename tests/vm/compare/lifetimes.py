# SPDX-License-Identifier: GPL-2.0
"""The lifetimes that `lifetrace lifetimes --csv` prints, as objects."""
import csv
import glob
import os

import ltfile
from common import lines


class Moment:
    __slots__ = ("time", "site", "cpu", "context", "tid", "tgid", "start", "comm")

    def __init__(self, row, which):
        self.time = int(row[which + "_ns"])
        self.site = row[which + "_site"]
        self.cpu = int(row[which + "_cpu"])
        self.context = row[which + "_ctx"]
        self.tid = int(row[which + "_tid"] or -1)
        self.tgid = int(row[which + "_tgid"] or -1)
        self.start = int(row[which + "_task_start_ns"] or -1)
        self.comm = row[which + "_comm"]

    def __str__(self):
        return "%d on cpu %d in %s of %s-%d/%d at %s" % (
            self.time, self.cpu, self.context, self.comm, self.tid, self.tgid, self.site)


class Row:
    __slots__ = ("is_page", "ptr", "kind", "certainty", "ending", "size", "alloc", "cache",
                 "order", "gfp", "node", "birth", "death", "bound")

    def __init__(self, row, masks, simple):
        self.kind, self.certainty, self.ending = row["kind"], row["certainty"], row["ended_by"]
        if simple and row["why"].startswith("not watched"):
            self.certainty = self.certainty_of(row)
        self.is_page = self.kind in ("page", "page_split")
        self.ptr = int(row["address"], 16)
        self.size, self.alloc = int(row["bytes_req"] or 0), int(row["bytes_alloc"] or 0)
        self.cache = row["cache"]
        self.order, self.node = int(row["page_order"] or 0), int(row["node"] or -1)
        self.gfp = 0
        for name in row["gfp"].split("|") if row["gfp"] else ():
            self.gfp |= masks[name] if name in masks else int(name, 0)
        # Only a birth or a death that was seen has a CPU.
        self.birth = Moment(row, "birth") if row["birth_cpu"] else None
        self.death = Moment(row, "death") if row["death_cpu"] else None
        self.bound = int(row["death_ns"] or 0)

    @staticmethod
    def certainty_of(row):
        """As if everything was watched."""
        if not row["birth_cpu"]:
            return "before"
        if row["ended_by"] == "alive":
            return "open"
        return "exact" if row["death_cpu"] else "bounded"

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


def read(program, path, simple=False):
    """
    Each lifetime of a trace. simple: what was not watched never happened, so that a lifetime which
    is uncertain for that reason alone is the one that it seems to be.
    """
    masks = gfp_masks(path)
    text = (line.decode("utf-8", "backslashreplace")
            for line in lines(program, "lifetimes", "--csv", path))
    for row in csv.DictReader(text):
        yield Row(row, masks, simple)
