#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: layers.py BUILD...

The order of the rooms (Documentation/design.rst), checked in object files. Each
BUILD is a directory that holds the objects of user/ and module/ below the
paths of their sources: user/lib/base/err.o is what user/lib/base/err.c became.

A file depends on the files that define the symbols which its object leaves
undefined; code that is inlined is part of the object that includes it. Reported
are calls from a room to a later one, or to another one of the same row (so there
is no circle of folders); files and headers that depend on one another in a circle;
headers included from a later room; library objects that print or exit; and objects that
read the events of a trace themselves, not by lt_trace_pass().
"""
import collections
import os
import re
import subprocess
import sys

# From the bottom to the top. Rooms in one row do not use each other.
ORDER = {
    "user": ["lib/base", "lib/format lib/parquet lib/oops lib/fetch lib/logs", "lib/trace lib/encode", "lib/lines", "lib/lifetimes lib/tasks lib/syscalls",
             "lib/calls lib/whose lib/import", "lib/sums", "lib/state",
             "lib/verify lib/compare lib/live", "lib/rows lib/flight", "lib/api", "tool/out", "tool/forms tool/ps", "tool/print", "tool/engine",
             "tool/bpf",
             "tool/record tool/export tool/boot tool/import",
             "tool/export/ctf tool/export/flame tool/export/fleet tool/export/perfetto",
             "tool/doctor tool/page tool/top tool/flight tool/watch tool/stream", "tool/cmd", "tool"],
    "module": ["core", "kmem area pid syscall call", "selftest", "session", "."],
}
ROOTS = ["user/lib", "user/tool", "module", "."]
LEVEL = {os.path.normpath(f"{side}/{room}"): level for side, rows in ORDER.items()
         for level, row in enumerate(rows) for room in row.split()}
# What prints or ends the process. lt_fatal() calls abort() if the program installed nothing.
PRINTS = re.compile(r"(__)?v?f?printf(_chk)?$|f?puts$|f?putc$|putchar$|fputc$|std(out|err)$|perror$|"
                    r"_?exit$|_Exit$|quick_exit$|errx?$|warnx?$|error$|__assert_fail$|abort$")
MAY = {("user/lib/base/log.c", "abort")}
# What hands out events, for the one pass over them.
EVENTS = {"lt_trace_next", "lt_trace_next_some"}
EVENTS_FOR = {"user/lib/trace/pass.c"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def plain(path):
    """The path without that of the planted files: where the file would stand."""
    return path.split("planted/layers/")[-1]


def place(path, text):
    """FILE:LINE of the first line that has the word."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", line):
                return f"{path}:{number}"
    return f"{path}:1"


def upwards(user, used):
    """Why the file must not use the other one; None if it may."""
    rooms = [os.path.dirname(plain(path)) for path in (user, used)]
    for path, room in zip((user, used), rooms):
        if room not in LEVEL:
            return f"{room} has no place in the order of the rooms ({path})"
    if rooms[0] == rooms[1] or rooms[0].split("/")[0] != rooms[1].split("/")[0]:
        return None
    if LEVEL[rooms[0]] == LEVEL[rooms[1]]:
        return f"{rooms[0]} and {rooms[1]} must not use each other"
    return f"{rooms[0]} must not use {rooms[1]}" if LEVEL[rooms[0]] < LEVEL[rooms[1]] else None


def circles(edges):
    """The sets of more than one node that reach each other."""
    reach = {}
    for start in edges:
        seen, todo = set(), [start]
        while todo:
            for node in edges.get(todo.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        reach[start] = seen
    return {frozenset(n for n in reach[node] if node in reach.get(n, ())) for node in reach if node in reach[node]}


def symbols(sources):
    """What each source defines and needs; sources is {path: object}."""
    defined, needed = collections.defaultdict(list), {}
    for source, built in sources.items():
        needed[source] = set()
        for line in run("nm", built).splitlines():
            kind, name = line.split()[-2:]
            if kind in "Uvw":
                needed[source].add(name)
            elif kind in "TDBRCVW":
                defined[name].append((kind in "VW", source))
    return {name: min(places)[1] for name, places in defined.items()}, needed


def main(builds):
    sources, missing = {}, []
    for source in run("git", "ls-files", "-co", "--exclude-standard", "user/*.c", "module/*.c",
                      "tests/lint.d/planted/layers/*.c").splitlines():
        if not os.path.exists(source) or source.endswith(("_kunit.c", ".bpf.c")) or plain(source).endswith("/kunit.c"):
            continue
        built = [f"{b}/{plain(source)[:-2]}.o" for b in builds
                 if ("planted" in b) == ("planted" in source)]
        built = [b for b in built if os.path.exists(b)]
        if built:
            sources[source] = built[0]
        else:
            missing.append(source)
    for source in missing:
        print(f"{source}:1: it has no object: not checked")

    defined, needed = symbols(sources)
    uses = collections.defaultdict(lambda: collections.defaultdict(list))
    for source, names in needed.items():
        for name in sorted(names):
            if defined.get(name, source) != source:
                uses[source][defined[name]].append(name)
            if plain(source).startswith("user/lib/") and PRINTS.match(name) and \
               (plain(source), name) not in MAY:
                print(f"{place(source, name)}: the library must not print or exit: {name}")
            if name in EVENTS and plain(source) not in EVENTS_FOR:
                print(f"{place(source, name)}: events are read by lt_trace_pass() alone: {name}")

    # Headers: the rooms' order holds for them, too, and no circle.
    headers = collections.defaultdict(dict)
    for path in run("git", "ls-files", "-co", "--exclude-standard", "user/*.[ch]", "module/*.[ch]").splitlines():
        if not os.path.exists(path) or "_kunit" in path:
            continue
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M):
                for root in [os.path.dirname(path), *ROOTS]:
                    header = os.path.normpath(f"{root}/{name}")
                    if os.path.exists(header) and not header.startswith(("uapi/", "include/")):
                        headers[path][header] = [name]
                        break

    for graph, verb in (uses, "uses"), (headers, "includes"):
        for path, others in sorted(graph.items()):
            for other, names in sorted(others.items()):
                why = upwards(path, other)
                if why:
                    print(f"{place(path, names[0])}: {why}: {verb} {', '.join(names)}"
                          f"{' of ' + other if verb == 'uses' else ''}")
        for circle in sorted(map(sorted, circles(graph))):
            for path in circle:
                for other in sorted(set(graph[path]) & set(circle)):
                    print(f"{place(path, graph[path][other][0])}: in a circle of {len(circle)} files: "
                          f"{verb} {', '.join(graph[path][other])}{' of ' + other if verb == 'uses' else ''}")
    print(len(sources), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
