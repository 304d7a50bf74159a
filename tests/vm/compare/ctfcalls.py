#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
Are the function calls that babeltrace2 reads in a CTF export those of `lifetrace calls --json`?

usage: ctfcalls.py PROGRAM TRACE BABELTRACE-TEXT METADATA

The third is what `babeltrace2 --clock-cycles` prints. The calls of each CPU must agree in number and
order; each in its function, thread, context, frame, begin, end, how it ended, and every value, which
must also have the form of its type: hexadecimal, decimal, a name, text or bytes. Pointers to code
are names in lifetrace and numbers in CTF: a name must mean one address.
"""

import collections
import errno
import re
import sys

from calls import VALUE, calls
from common import Faults, usage

LINE = re.compile(r"^\[(\d+)\] \(\S+\) (?:\S+ )?(call(?::\S+)?|call_open): (.*)$")
TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|<unknown>|[{}()\[\],=:]|-?\w+)')
ENDS = {1: "died", 2: "open"}
# Of include/linux/errno.h: the kernel's own, which programs never see.
ERRORS = {"ERESTARTSYS": 512, "ERESTARTNOINTR": 513, "ERESTARTNOHAND": 514, "ENOIOCTLCMD": 515,
          "ERESTART_RESTARTBLOCK": 516, "EPROBE_DEFER": 517, "EOPENSTALE": 518, "ENOPARAM": 519,
          "ENOTSUPP": 524, **{name: number for number, name in errno.errorcode.items()}}
ESCAPES = {"n": "\n", "t": "\t", "v": "\v", "f": "\f", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b"}
PART = re.compile(r"(?P<before>; |, |)(?:\.(?P<name>[^=]+)=)?(?P<value><\w+>|%s)" %
                  VALUE.replace(r"(?:\.\.\.)?", r"(?:\.\.\.)?(?:<unread>)?"))


class Hex(int):
    """A number that was printed in hexadecimal."""


class Enum:
    """A number and its name, if it has one."""

    def __init__(self, label, number):
        self.label, self.number = label, number


def unescape(text):
    """A text in C's escapes, without its quotes."""
    def one(match):
        word = match[1]
        if word[0] == "x" and len(word) == 3:
            return chr(int(word[1:], 16))
        return chr(int(word, 8)) if word[0] in "01234567" else ESCAPES.get(word, word)
    return re.sub(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", one, text[1:-1])


class Parser:
    """What babeltrace2 prints of an event: structures, arrays, enumerations, texts, numbers."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def next(self, *expected):
        token = self.tokens[self.at]
        if expected and token not in expected:
            raise SystemExit("ctfcalls: expected %s at %s" % (expected, self.tokens[self.at:self.at + 9]))
        self.at += 1
        return token

    def structure(self):
        """After its brace."""
        found = {}
        while self.tokens[self.at] != "}":
            name = self.next()
            self.next("=")
            found[name] = self.value()
            if self.tokens[self.at] == ",":
                self.next()
        self.next("}")
        return found

    def array(self):
        found = []
        while self.tokens[self.at] != "]":
            self.next("[")
            self.next()
            self.next("]")
            self.next("=")
            found.append(self.value())
            if self.tokens[self.at] == ",":
                self.next()
        self.next("]")
        return found

    def value(self):
        token = self.next()
        if token == "{":
            return self.structure()
        if token == "[":
            return self.array()
        if token == "(":
            label = self.next()
            self.next(":")
            self.next("container")
            self.next("=")
            number = self.value()
            self.next(")")
            return Enum(unescape(label) if label[0] == '"' else None, number)
        if token[0] == '"':
            return unescape(token)
        return Hex(token, 16) if token.lower().startswith("0x") else int(token)

    def all(self):
        found = []
        while self.at < len(self.tokens):
            self.next("{")
            found.append(self.structure())
            if self.at < len(self.tokens):
                self.next(",")
        return found


def read_ctf(path):
    """By CPU: time, event, context, payload."""
    cpus = collections.defaultdict(list)
    with open(path, errors="surrogateescape") as text:
        for line in text:
            match = LINE.match(line.rstrip("\n"))
            if match:
                packet, context, payload = Parser(match[3]).all()
                cpus[packet["cpu_id"]].append((int(match[1]), match[2], context["context"], payload))
    return cpus


class Compare:
    def __init__(self):
        self.faults = Faults()
        self.counts = collections.Counter()
        self.symbols = {}       # addresses by name

    def describe(self, metadata):
        """Takes the addresses of code that has a name. Return: whether times are ns."""
        for address, name, offset in re.findall(r"^ \* (0x\w+) ([^ +]+)\+(0x\w+)", metadata, re.M):
            self.symbols[name] = int(address, 16) - int(offset, 16)
        return "freq = 1000000000;" in metadata

    def number(self, shown, want, value):
        """Whether a value that lifetrace shows as @want, without names of bits, is this number."""
        plain = re.sub(r" \[.*\]$", "", want)
        if re.fullmatch(r"0x[0-9a-f]+", plain):
            self.counts["hexadecimal"] += 1
            return isinstance(shown, Hex) and value == int(plain, 16)
        if re.fullmatch(r"-?\d+", plain):
            self.counts["negative" if value < 0 else "decimal"] += 1
            return not isinstance(shown, Hex) and value == int(plain)
        if plain in ("true", "false", "NULL"):
            self.counts["word"] += 1
            return value == (plain == "true")
        if plain[0] == "'":
            self.counts["character"] += 1
            return value == ord(unescape(plain))
        if plain[0] == "-" and plain[1:] in ERRORS:
            self.counts["error"] += 1
            return -value % (1 << 32) == ERRORS[plain[1:]] and (value < 0 or value >> 31 > 0)
        self.counts["symbol"] += 1
        name, _, offset = plain.partition("+")
        return isinstance(shown, Hex) and self.symbols.setdefault(name, value - int(offset or "0", 16)) == \
            value - int(offset or "0", 16)

    def equal(self, shown, want, unread, cut):
        """Whether babeltrace2's value is what lifetrace shows."""
        if isinstance(shown, str):
            if want == '""':
                # babeltrace2 2.0 prints the text of an earlier event instead.
                self.counts["empty"] += 1
                return True
            self.counts["text"] += 1
            if want in ("NULL", "<unread>"):
                return unread and cut == (want == "NULL") and shown == want
            text = re.fullmatch(r'("(?:[^"\\]|\\.)*")(\.\.\.)?(<unread>)?', want)
            return bool(text) and unescape(text[1]).encode("latin-1") == shown.encode("utf-8", "surrogateescape") \
                and bool(text[2]) == cut and bool(text[3]) == unread
        if unread:
            self.counts["unread"] += 1
            return want == "<unread>"
        if isinstance(shown, list):
            self.counts["bytes"] += 1
            return want == "[%s]" % " ".join("%02x" % byte for byte in shown) and \
                all(isinstance(byte, Hex) for byte in shown)
        if isinstance(shown, Enum):
            self.counts["enum"] += 1
            return want == (shown.label or str(shown.number))
        return self.number(shown, want, int(shown))

    @staticmethod
    def parts(text):
        """The values of a line: what stands before, name, text."""
        found, at = [], 0
        while at < len(text):
            match = PART.match(text, at)
            if not match:
                return [("", "not understood", text)]
            found.append((match["before"], match["name"] or "value", match["value"]))
            at = match.end()
        return found

    @staticmethod
    def identifiers(names):
        """As the export makes them: letters, digits and '_', and none twice, nor behind itself with a '_' more."""
        found = []
        for name in names:
            word = ""
            for c in name:
                if re.match(r"\w", c, re.A):
                    word += c
                elif word and word[-1] != "_":
                    word += "_"
            word = word.rstrip("_") or "value"
            unique, n = word, 2
            while unique in found or "_" + unique in found:
                unique, n = "%s_%d" % (word, n), n + 1
            found.append(unique)
        return found

    def values(self, where, call, payload):
        groups = [payload.get("args", {}), payload.get("at_return", {})]
        shown = [*groups[0].items(), *groups[1].items()]
        wanted = self.parts(call["args"])
        result = payload.get("result")
        split = len(groups[0])
        names = self.identifiers([n for _, n, _ in wanted[:split]]) + self.identifiers([n for _, n, _ in wanted[split:]])
        if not self.faults.check([name for name, _ in shown] == names, "names of values",
                                 "%s: %s, %s" % (where, names, shown)):
            return
        for i, (before, _, _) in enumerate(wanted):
            between = "" if not i else "; " if i == split else ", "
            self.faults.check(before == between, "time of a value", where)
        unread, cut = payload["unread"], payload["cut"]
        for i, ((name, value), (_, _, want)) in enumerate(zip(shown, wanted)):
            self.faults.check(self.equal(value, want, unread >> i & 1, cut >> i & 1 == 1), "value",
                              "%s: %s is %r in CTF, %s in calls" % (where, name, value, want))
            self.counts["values"] += 1
        if self.faults.check((result is None) == (call["result"] is None), "result", where) and result is not None:
            at = len(shown)
            want = call["result"].replace("\\\\", "\\")
            self.faults.check(self.equal(result, want, unread >> at & 1, cut >> at & 1 == 1), "result",
                              "%s: %r in CTF, %s in calls" % (where, result, want))
            self.counts["results"] += 1

    def bytes(self, where, call, payload):
        """A call whose values nothing describes."""
        self.counts["without_description"] += 1
        label = payload["function"].label if isinstance(payload["function"], Enum) else None
        if label is None:
            shown = [*payload["bytes"]]
            while shown and not shown[-1]:
                shown.pop()
            text = "[%s]" % " ".join("%02x" % byte for byte in shown) if shown else ""
            self.faults.check(text == call["args"], "bytes", where)
            number = payload["function"].number if isinstance(payload["function"], Enum) else payload["function"]
            label = "function_%d" % number
        else:
            self.faults.check("<missing>" in call["args"] + str(call["result"]), "a call in bytes", where)
        self.faults.check(label.split(" ")[0] == call["function"], "function", where)

    def call(self, cpu, event, call, in_ns):
        time, name, context, payload = event
        where = "cpu %d, time %d, %s" % (cpu, time, call["function"])
        check = self.faults.check
        check(context == call["ctx"], "context", where)
        if not check("tid" in payload, "a call without its values", where):
            return
        check(payload["tid"] == call["tid"], "tid", where)
        check(payload["tgid"] == (call["tgid"] or 0), "tgid", where)
        check(payload["depth"] == call["frame"], "frame", where)
        check(not in_ns or time == call["end_ns"], "end", where)
        if name == "call_open":
            self.counts["open"] += 1
            label = payload["function"].label if isinstance(payload["function"], Enum) else None
            check((label or call["function"]).split(" ")[0] == call["function"], "function", where)
            check(ENDS[payload["why"]] == call["ended"], "how it ended", where)
            check(not in_ns or payload["begin"] == call["begin_ns"], "begin", where)
            return
        check(call["ended"] == "returned", "how it ended", where)
        check(not in_ns or call["begin_ns"] is None or time - payload["duration"] == call["begin_ns"], "begin", where)
        if name == "call":
            self.bytes(where, call, payload)
            return
        check(name == "call:" + call["function"], "function", "%s: %s" % (where, name))
        self.values(where, call, payload)


def main():
    program, trace, text, metadata = usage(__doc__, 4)
    compare = Compare()
    with open(metadata) as described:
        in_ns = compare.describe(described.read())
    ours = collections.defaultdict(list)
    for call in calls(program, trace, "--self"):
        ours[call["cpu"]].append(call)
    theirs = read_ctf(text)
    for cpu in sorted(ours.keys() | theirs.keys()):
        compare.faults.check(len(ours[cpu]) == len(theirs[cpu]), "number of calls",
                             "cpu %d: %d in calls, %d in CTF" % (cpu, len(ours[cpu]), len(theirs[cpu])))
        for event, call in zip(theirs[cpu], ours[cpu]):
            compare.counts["calls"] += 1
            compare.counts["of_values"] += bool(call["args"]) or call["result"] is not None
            compare.call(cpu, event, call, in_ns)
    for name, n in sorted(compare.counts.items()):
        print(name, n)
    compare.faults.print()
    # Calls that did not return have no values, nor have those of a kernel without types that were named alone.
    seen = compare.counts["values"] or compare.counts["open"] or not compare.counts["of_values"]
    sys.exit(1 if compare.faults.total or not seen or not compare.counts["calls"] else 0)


if __name__ == "__main__":
    main()
