#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: calltruth.py LIFETRACE FILE LOG MACHINE

The calls of the functions of lt_calls that FILE has are those of its LOG: each with every argument,
result, context and thread, but for what a machine has in places that are not known (LACKS), which must
not be in FILE. Prints "key value" lines; exit status 1 when there is a fault.
"""
import sys
from collections import Counter

from calls import calls, value, values
from common import Faults, print_counts, usage

# Structs by value are in known places on x86-64 and arm64 alone. What follows one of unknown place, or is
# beside a hidden argument for a result, is not known on machines of 32 bits; nor is what stands beyond 14 words.
STRUCT_8, STRUCT_16 = {"v.a", "v.b", "v.c"}, {"v.a", "v.b", "v.c", "v.d"}
RESULT_8 = {"ret.a", "ret.b", "ret.c"}
BITS_32 = {"ltc_struct8": STRUCT_8 | {"after"}, "ltc_struct16": STRUCT_16 | {"after"},
           "ltc_result8": RESULT_8 | {"a"}, "ltc_16": {"n"}}
LACKS = {"s390x": {"ltc_struct8": STRUCT_8, "ltc_struct16": STRUCT_16, "ltc_result8": RESULT_8},
         "i386": BITS_32, "armhf": BITS_32}


def of_log(path, machine, faults):
    """Its calls: (function, context, tid), values, result."""
    with open(path, encoding="latin-1") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    if not rows or rows[-1][0] != "end" or int(rows[-1][1]) != len(rows) - 1:
        faults.add("log is not whole", rows[-1:])
        return
    for function, context, tid, text in rows[:-1]:
        given = values(text, separator=r" ")
        for name in LACKS.get(machine, {}).get(function, ()):
            given.pop(name)
        yield function, context, int(tid), given, given.pop("result", None)


def main(program, path, log, machine):
    faults = Faults()
    expected = Counter()
    for function, context, tid, given, result in of_log(log, machine, faults):
        expected[(function, context, tid, tuple(sorted(given.items())), result)] += 1
    counts = Counter(logged=sum(expected.values()), functions=len({k[0] for k in expected}))
    for c in calls(program, path):
        if not c["function"].startswith("ltc_"):
            continue
        faults.check(c["module"] == "lt_calls", "module", c)
        faults.check(c["ended"] == "returned", "ended", c)
        given = values(c["args"])
        # The number is signed, the text as the type is; but that of an error is its name.
        result = c["result_value"] if c["error"] else c["result"] and value(c["result"])
        key = (c["function"], c["ctx"], c["tid"], tuple(sorted(given.items())), result)
        counts["recorded"] += 1
        counts["values"] += len(given) + (result is not None)
        counts["in_" + c["ctx"]] += 1
        if expected[key] > 0:
            expected[key] -= 1
            counts["right"] += 1
        else:
            faults.add("not in the log", key)
    for key, n in expected.items():
        if n:
            faults.add("not recorded", (n, key))
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main(*usage(__doc__, 4)))
