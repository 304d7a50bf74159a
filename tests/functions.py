#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""functions.py FILE - sums of the functions in a kernel's types, as bpftool prints these

Prints how many functions there are, of them with more than six arguments, with a struct or union by
value, and with a variable number of arguments; and how many names more than one function has.
"""
import collections
import re
import subprocess
import sys

TYPE = re.compile(r"\[(\d+)\] (\w+) '([^']*)'(?:.* type_id=(\d+))?")
PARAMETER = re.compile(r"\t'([^']*)' type_id=(\d+)")
NAMES_ONLY = {"TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"}


def main(path):
    kinds, to, parameters = {}, {}, collections.defaultdict(list)
    functions = []
    last = 0
    with subprocess.Popen(["bpftool", "btf", "dump", "file", path, "format", "raw"],
                          stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            found = TYPE.match(line)
            if found:
                last = int(found[1])
                kinds[last], to[last] = found[2], int(found[4] or 0)
                if found[2] == "FUNC":
                    functions.append((found[3], to[last]))
            elif kinds.get(last) == "FUNC_PROTO":
                found = PARAMETER.match(line)
                parameters[last].append((found[1], int(found[2])))
    if dump.returncode or not functions:
        sys.exit(f"functions.py: {path}: bpftool reads no functions from it")

    def is_composite(number):
        while kinds.get(number) in NAMES_ONLY:
            number = to[number]
        return kinds.get(number) in ("STRUCT", "UNION")

    many = composite = varargs = 0
    for _, proto in functions:
        arguments = parameters[proto]
        varies = bool(arguments) and not arguments[-1][1]
        varargs += varies
        many += len(arguments) > 6
        composite += any(is_composite(number) for _, number in arguments[:len(arguments) - varies])
    twice = sum(n > 1 for n in collections.Counter(name for name, _ in functions).values())
    print(len(functions), many, composite, varargs, twice)


main(*sys.argv[1:])
