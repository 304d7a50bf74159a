# SPDX-License-Identifier: GPL-2.0
"""
What the types of a kernel say of registers of x86-64, as bpftool prints them: which bits of which register
are an argument, a member of one, or the result of a function.
"""
import re
import subprocess
from collections import defaultdict, namedtuple

MASK = (1 << 64) - 1
TYPE = re.compile(r"\[(\d+)\] (\w+) '([^']*)'(.*)")
PART = re.compile(r"\t'([^']*)' type_id=(\d+)(?: bits_offset=(\d+))?(?: bitfield_size=(\d+))?")
TO = re.compile(r" (?:ret_)?type_id=(\d+)")
SIZE = re.compile(r" size=(\d+)")
NAMES_ONLY = {"TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"}
COMPOSITE = {"STRUCT", "UNION"}

# Bits of a value, the first of them in the registers that its argument has, and whether it may have a sign.
Bits = namedtuple("Bits", "n first signs")


def extended(register, n, signs):
    """What N bits of a register are as a number of 64 bits: for each of SIGNS one."""
    value = register & (1 << n) - 1
    return {value - (signed and value >> n - 1 << n) & MASK for signed in signs}


class Prototypes:
    """The types of one kernel."""

    def __init__(self, vmlinux):
        self.kinds, self.rest, self.parts = {}, {}, defaultdict(list)
        self.functions = defaultdict(list)
        last = 0
        with subprocess.Popen(["bpftool", "btf", "dump", "file", vmlinux, "format", "raw"],
                              stdout=subprocess.PIPE, text=True) as dump:
            for line in dump.stdout:
                found = TYPE.match(line)
                if found:
                    last = int(found[1])
                    self.kinds[last], self.rest[last] = found[2], found[4]
                    if found[2] == "FUNC":
                        self.functions[found[3]].append(self.to(last))
                elif self.kinds.get(last) in COMPOSITE | {"FUNC_PROTO"}:
                    found = PART.match(line)
                    self.parts[last].append((found[1], int(found[2]), int(found[3] or 0), int(found[4] or 0)))
        if dump.returncode or not self.functions:
            raise SystemExit("%s: bpftool reads no functions from it" % vmlinux)

    def to(self, number):
        found = TO.search(self.rest[number])
        return int(found[1]) if found else 0

    def plain(self, number):
        while self.kinds.get(number) in NAMES_ONLY:
            number = self.to(number)
        return number

    def size(self, number):
        return 8 if self.kinds.get(number) == "PTR" else int(SIZE.search(self.rest[number])[1])

    def bits(self, number, path, first=0, n=0):
        """Of a value of a type, or of the member that PATH leads to; a struct of one member is that. None: none."""
        number = self.plain(number)
        kind = self.kinds.get(number)
        if kind in COMPOSITE:
            found = [part for part in self.parts[number] if not path or part[0] == path[0]]
            if len(found) != 1 or not path and len(self.parts[number]) > 1:
                return None
            return self.bits(found[0][1], path[1:], first + found[0][2], found[0][3])
        if path or kind not in ("PTR", "INT", "ENUM", "ENUM64") or self.size(number) > 8:
            return None
        # The types of an old kernel do not say whether an enum has negative values.
        signs = (False, True) if kind.startswith("ENUM") else (kind == "INT" and "SIGNED" in self.rest[number],)
        return Bits(n or 8 * self.size(number), first, signs)

    def registers(self, number):
        """How many an argument of this type has: a large struct is on the stack."""
        number = self.plain(number)
        if self.kinds.get(number) not in COMPOSITE:
            return 1
        size = self.size(number)
        return 0 if size > 16 else (size + 7) // 8

    def proto(self, function):
        """None: the types do not have the function, or have two of its name."""
        found = set(self.functions.get(function, ()))
        return next(iter(found)) if len(found) == 1 else None

    def result(self, proto):
        return self.bits(self.to(proto), [])

    def argument(self, proto, name):
        """Of "$arg2", or "$arg2.member": the number of its first register, and its bits there."""
        number, *path = name.removeprefix("$arg").split(".")
        before = self.parts[proto][:int(number) - 1]
        return sum(self.registers(part[1]) for part in before), self.bits(self.parts[proto][int(number) - 1][1], path)
