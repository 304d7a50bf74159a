#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""functions.py FILE - sums of the functions in a kernel's types, as bpftool prints these

Prints how many functions there are, of them with more than six arguments, with a struct or union by
value, and with a variable number of arguments; and how many names more than one function has.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "vm/compare"))
from prototypes import COMPOSITE, Prototypes  # noqa: E402


def main(path):
    types = Prototypes(path)
    many = composite = varargs = 0
    protos = [proto for found in types.functions.values() for proto in found]
    for proto in protos:
        arguments = [number for _, number, *_ in types.parts.get(proto, ())]
        varies = bool(arguments) and not arguments[-1]
        varargs += varies
        many += len(arguments) > 6
        composite += any(types.kinds.get(types.plain(number)) in COMPOSITE
                         for number in arguments[:len(arguments) - varies])
    print(len(protos), many, composite, varargs, sum(len(found) > 1 for found in types.functions.values()))


main(*sys.argv[1:])
