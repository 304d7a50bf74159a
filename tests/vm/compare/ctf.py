#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Are babeltrace2's events those of `lifetrace dump --json`?

usage: ctf.py BABELTRACE-TEXT|- DUMP-JSON METADATA INFO-JSON [stale]

The first is what `babeltrace2 --clock-cycles` prints, the second one JSON object
a line. They must agree in number, order per stream, and every field. The export has
raw values: narrow addresses are relative to the bases in METADATA (CTF 1.8). The last
event of each packet has its counters: those of the last packets add up to those that
`lifetrace info --json` prints. A caller is a name, and METADATA has the address of each; so is a cache,
and METADATA has its id. Records "site" are not exported. Where stacks were recorded, each event has the number of its own, whose name must be
those of the frames that dump prints.
Function calls are compared by time, frame and duration here, and by ctfcalls.py in all else.

stale: babeltrace2 is older than 2.1. It shows an empty text of fixed size as the one
that the field had in an earlier event; that is counted then, and no difference.
"""

import collections
import json
import re
import sys

LINE = re.compile(r"^\[(\d+)\] \(\S+\) \S* ?(\w+|call:\S+): (.*)$")
# What all function calls have: ctfcalls.py compares the rest.
CALL = re.compile(r"\bdepth = (\d+), duration = (\d+), tid = ")
FIELD = re.compile(r'(\w+) = (?:\( (?:"[^"]*"|<unknown>) : container = )?("(?:[^"\\]|\\.)*"|-?\w+)')
BYTES = re.compile(r"\bbytes = \[ ((?:\[\d+\] = \d+(?:, )?)+) \]")
CPU = re.compile(r"cpu_id = (\d+)")
BASES = re.compile(r'text_base = "(\w+)";\s*ptr_base = "(\w+)"')
SIGNED = re.compile(r"integer \{ size = (\d+);[^}]*signed = true;[^}]*base = hexadecimal; \} (\w+);")
CALLERS = re.compile(r"/\*\n \* The addresses of callers:\n(.*?)\n \*/", re.S)
CACHES = re.compile(r"/\*\n \* The ids of caches:\n(.*?)\n \*/", re.S)
NO_SITE = NO_CACHE = "-"
STACK = re.compile(r' stack = \( (?:"([^"]*)"|<unknown>) : container = (\d+) \)')
FRAMES = re.compile(r", frames = \[ .* \] }$")
FRAME = re.compile(r'\[\d+\] = ("(?:[^"\\]|\\.)*")')
UNIQUE = re.compile(r" #\d+$")     # behind a name that another number has, too
COUNTERS = re.compile(r"(\w+) = \{ ((?:\w+ = \d+(?:, )?)+) \}")
PACKET = "lifetrace_packet"

# Names that viewers know, and ours.
NAMES = {"kmem_kmalloc": "kmalloc", "kmem_kfree": "kfree",
         "kmem_mm_page_alloc": "page_alloc", "kmem_mm_page_free": "page_free"}
CONTEXT = re.compile(r'context = "(\w+)"')
# What dump adds to every event, and to some.
ADDED = {"time", "cpu", "channel", "seq", "context", "event", "cache_name", "cache_size",
         "task_start"}
ABOUT_TASK = {"tid", "tgid", "comm"}
# Of kmem, area and syscall: whose fields of these names are their own. In pid all are.
OWN_TASK = {"task": ABOUT_TASK, "area_task": ABOUT_TASK, "syscall_task": ABOUT_TASK, "call_task": ABOUT_TASK,
            "sys_open": {"tid", "tgid"}, "call_open": {"tid", "tgid"},
            "task_exit": {"tid", "tgid"}}


def unescape(text):
    """A string as babeltrace2 prints it: C escapes."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]).replace("\\n", "\n").replace("\\t", "\t")


def signed(name, text):
    """A number; babeltrace2 shows a negative one in hexadecimal with the bits of its field."""
    value, bits = int(text, 0), 4 * (len(text) - 2)
    if text.startswith("0x") and bits in SIGNED_BITS[name] and value >> bits - 1:
        value -= 1 << bits
    return value


def parse_babeltrace(line):
    match = LINE.match(line)
    if not match:
        raise SystemExit("ctf: cannot read babeltrace2's line: " + line[:200])
    time, name, rest = match.groups()
    if name == PACKET:
        take_counters(rest)
        return None
    # { packet context }, { event context }, { payload }
    payload = rest[rest.rindex("}, {") + 3:]
    context = rest[:rest.rindex("}, {") + 1]
    context = context[context.rindex("}, {") + 3:]
    ptr_base = BASE[1]
    call = CALL.search(payload)
    if call and (name == "call" or name.startswith("call:")):
        fields = {"depth": int(call[1]), "duration": int(call[2])}
        return ("call", int(CPU.search(rest).group(1))), "call", int(time), CONTEXT.search(context).group(1), fields
    fields = {}
    raw_frames = FRAMES.search(payload)
    if raw_frames:
        payload = payload[:raw_frames.start()]
        fields["frames"] = [unescape(label) for label in FRAME.findall(raw_frames.group())]
    stack_of = STACK.search(payload)
    if stack_of:
        fields["stack_label"] = stack_of.group(1) or ""
    for key, value in FIELD.findall(payload):
        if value.startswith('"'):
            fields[key] = unescape(value)
        else:
            value = signed(key, value)
            if key == "ptr" and value < 1 << 40:
                value += ptr_base
            fields[key] = value
    array = BYTES.search(payload)
    if array:
        fields["bytes"] = [int(value) for value in re.findall(r"= (\d+)", array[1])]
    name = NAMES.get(name, name)
    stream = CHANNELS.get(name), int(CPU.search(rest).group(1))
    return stream, name, int(time), CONTEXT.search(context).group(1), fields


ADDRESSES = {"ptr", "call_site", "ring", "request", "user_data", *(f"arg{i}" for i in range(6))}
CHANNELS = {}               # of the events, by their names


BASE = []                   # text_base, ptr_base
LAST = {}                   # by stream: the counters of its last packet, by class
SIGNED_BITS = collections.defaultdict(set)   # by name, of fields that are shown in hexadecimal
CALLER_ADDRESSES = {}       # by name
CACHE_IDS = {}              # by name
NAMED = collections.Counter()   # callers and caches with and without a name
LABELS = collections.defaultdict(set)   # of call sites and frames
STACKS = collections.defaultdict(set)   # by number: the stacks of the events, as dump prints them
STACK_LABELS = {}           # by number
STACK_EVENTS = collections.Counter()    # events with a stack, and without
CACHE_NAMES = set()         # that dump prints, with their ids: a session may leave them out


def take_counters(rest):
    counts = {name: dict((key, int(value)) for key, value in re.findall(r"(\w+) = (\d+)", values))
              for name, values in COUNTERS.findall(rest) if "seen = " in values}
    LAST[int(CPU.search(rest).group(1)), tuple(counts)] = counts


def wrong_counters(info):
    """Classes whose counters are not those of `lifetrace info`."""
    sums = collections.defaultdict(collections.Counter)
    for counts in LAST.values():
        for name, values in counts.items():
            sums[name].update(values)
    wrong = []
    for row in info["classes"]:
        got = sums[row["class"]]
        if any(got[key] != value for key, value in row.items() if key != "class"):
            wrong.append("ctf: counters of %s: info %s, babeltrace2 %s" % (row["class"], row, dict(got)))
    return wrong


def parse_dump(line):
    event = json.loads(line)
    name, channel = event["event"], event["channel"]
    if name == "site":
        return None
    if event.get("cache_name"):
        CACHE_NAMES.add((event["cache"], event["cache_name"]))
    if CHANNELS.setdefault(name, channel) != channel:
        raise SystemExit("ctf: %s is an event of two channels" % name)
    not_own = ABOUT_TASK - OWN_TASK.get(name, set()) if channel != "pid" else set()
    fields = {key: int(value, 16) if key in ADDRESSES else
              [int(x, 16) if isinstance(x, str) else x for x in value] if isinstance(value, list) else value
              for key, value in event.items() if key not in ADDED and key not in not_own}
    if name == "call":
        fields = {key: fields[key] for key in ("depth", "duration")}
    return (channel, event["cpu"]), name, event["time"], event["context"], fields


# Same facts under other names, or known to one side only.
def normalise(fields):
    out = {}
    for key, value in fields.items():
        out[key] = value & 0xFFFFFFFFFFFFFFFF if isinstance(value, int) and value < 0 else value
    return out


def read_names(pattern, metadata, names):
    """Takes the numbers that a comment of the metadata lists, by their names."""
    found = pattern.search(metadata)
    for line in found[1].split("\n") if found else []:
        number, label = re.fullmatch(r" \* (\w+) (.*)", line).groups()
        if label in names:
            raise SystemExit("ctf: two numbers have the name " + label)
        names[label] = int(number, 0)


def cache(other):
    """Replaces the name of a cache by its id."""
    label = other.get("cache")
    if not isinstance(label, str):
        return
    other["cache"] = 0 if label == NO_CACHE else CACHE_IDS.get(label, label)
    if label != NO_CACHE:
        NAMED["cache", not label.startswith("#")] += 1


def wrong_caches():
    """Names of caches that dump prints, and the export's name of that id lacks."""
    labels = {number: label for label, number in CACHE_IDS.items()}
    wrong = []
    for number, name in sorted(CACHE_NAMES):
        label = labels.get(number, "")
        if not label.endswith("...") and name not in UNIQUE.sub("", label).split(" or "):
            wrong.append("ctf: cache %d is '%s', dump has %s" % (number, label, name))
    return wrong


def address_of(label):
    """The address of a caller, or its name if the metadata lacks it."""
    return 0 if label == NO_SITE else CALLER_ADDRESSES.get(label, label)


def call_site(mine, other):
    """Replaces the name of a caller by its address."""
    label = other.get("call_site")
    if not isinstance(label, str):
        return
    other["call_site"] = address_of(label)
    if label != NO_SITE:
        NAMED["call_site", not label.startswith("0x")] += 1
        LABELS[mine.get("call_site")].add(label)


def frames(mine, other):
    """Replaces the names of a record "stack" by addresses, as call_site() does."""
    labels = other.get("frames", [])
    if len(labels) != len(mine.get("frames", [])):
        return
    for i, label in enumerate(labels):
        labels[i] = address_of(label)
        if label != NO_SITE:
            LABELS[mine["frames"][i]].add(label)


def stack(mine, other):
    """
    The stack of an event is a list of frames in dump, and a number with a name here: which stacks
    a number means is kept, and both are taken out.
    """
    label = other.pop("stack_label", None)
    if isinstance(mine.get("stack"), list):
        number = other.pop("stack", 0)
        STACKS[number].add((tuple(mine.pop("stack")), mine.pop("stack_flags")))
        STACK_LABELS[number] = label
        STACK_EVENTS["with"] += 1
    elif label is not None and "stack" not in mine and other["stack"] == 0:
        del other["stack"]
        STACK_EVENTS["without"] += 1


def wrong_stacks():
    """Numbers of stacks that are not one stack, or have another name than its frames."""
    wrong = []
    for number, meant in STACKS.items():
        addresses, flags = next(iter(meant))
        # Each has one name, or that is reported, too.
        names = [UNIQUE.sub("", next(iter(LABELS[x]), "?")) for x in addresses]
        # What would need an escape is left out of an enumeration.
        names = [re.sub(r'["\\]', "", name) for name in names]
        names += ["(interrupt)"] * (flags >> 1 & 1) + ["..."] * (flags & 1)
        shown = UNIQUE.sub("", STACK_LABELS[number] or "")
        if not number or len(meant) > 1 or " <- ".join(names) != shown:
            wrong.append("ctf: stack %d, '%s': dump has %s" % (number, shown, meant))
    return wrong


class Stale:
    """Texts that were empty, and are shown as one that another event has."""

    def __init__(self, streams):
        self.count, self.texts = 0, set()
        for events in streams.values():
            self.texts.update((name, key, value) for name, _, _, fields in events
                              for key, value in fields.items() if isinstance(value, str))

    def forgive(self, mine, other):
        for key, value in mine[3].items():
            shown = other[3].get(key)
            if value == "" and shown and (other[0], key, shown) in self.texts:
                other[3][key] = ""
                self.count += 1


def read_streams(lines, parse):
    streams = {}
    for line in lines:
        line = line.rstrip("\n")
        parsed = parse(line) if line else None
        if parsed:
            streams.setdefault(parsed[0], []).append(list(parsed[1:]))
    return streams


def main():
    source = sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], errors="surrogateescape")
    with open(sys.argv[3]) as file:
        metadata = file.read()
    BASE.extend(int(x, 16) for x in BASES.search(metadata).groups())
    for bits, name in SIGNED.findall(metadata):
        SIGNED_BITS[name].add(int(bits))
    read_names(CALLERS, metadata, CALLER_ADDRESSES)
    read_names(CACHES, metadata, CACHE_IDS)
    # Ours first: it says which events are of which channel.
    ours = read_streams(open(sys.argv[2], errors="surrogateescape"), parse_dump)
    theirs = read_streams(source, parse_babeltrace)
    stale = Stale(ours) if sys.argv[5:] == ["stale"] else None
    total = fields = differences = 0
    with open(sys.argv[4]) as info:
        wrong = wrong_counters(json.load(info))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    differences += len(wrong)
    if set(theirs) != set(ours):
        raise SystemExit("ctf: streams differ: %s, %s" % (sorted(theirs, key=str), sorted(ours)))
    for stream, events in ours.items():
        where = "%s of cpu %d" % stream
        if len(events) != len(theirs[stream]):
            print("ctf: %s: dump has %d events, babeltrace2 %d" %
                  (where, len(events), len(theirs[stream])))
            differences += 1
        for mine, other in zip(events, theirs[stream]):
            total += 1
            fields += len(mine[3])
            call_site(mine[3], other[3])
            cache(other[3])
            frames(mine[3], other[3])
            stack(mine[3], other[3])
            mine[3], other[3] = normalise(mine[3]), normalise(other[3])
            if stale and mine != other:
                stale.forgive(mine, other)
            if mine != other:
                differences += 1
                if differences <= 10:
                    print("ctf: %s: dump %s\n    babeltrace2 %s" % (where, mine, other))
    for site, labels in LABELS.items():
        if len(labels) > 1:
            print("ctf: 0x%x has several names: %s" % (site, sorted(labels)))
            differences += 1
    wrong = wrong_stacks() + wrong_caches()
    print(*wrong[:10], sep="\n", end="\n" if wrong else "")
    differences += len(wrong)
    if STACKS:
        print("ctf: %d stacks, of %d events; %d events have none" %
              (len(STACKS), STACK_EVENTS["with"], STACK_EVENTS["without"]))
    print("ctf: %d streams, %d events, %d fields compared, %d differences" %
          (len(ours), total, fields, differences))
    if stale:
        print("ctf: %d empty texts were shown as earlier ones" % stale.count)
    print("ctf: with a name: %d callers, %d caches; without: %d, %d" % tuple(
        NAMED[field, named] for named in (True, False) for field in ("call_site", "cache")))
    named = ["call_site"] + ["cache"] * bool(CACHE_NAMES)
    if any(NAMED[field, False] >= NAMED[field, True] for field in named):
        raise SystemExit("ctf: most callers or caches have no name")
    if total < 1000:
        raise SystemExit("ctf: too few events to mean anything")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
