# SPDX-License-Identifier: GPL-2.0
"""What a heaptrack file contains, by its description and as heaptrack_print reads it."""
import collections
import os
import subprocess


class Heaptrack:
    """A heaptrack file, by its description: what each path has allocated, and what is alive."""

    def __init__(self, path):
        self.strings, self.frames, self.traces, self.kinds = [""], [None], [()], []
        self.births, self.alive, self.ms, self.notes = collections.Counter(), collections.Counter(), 0, ""
        self.now = self.peak = 0
        used = 0
        with open(path, encoding="utf-8", errors="strict", newline="\n") as file:
            assert next(file) == "v 10400 3\n"
            for line in file:
                letter, rest = line[:-1].split(" ", 1)
                if letter in "+-":
                    kind = int(rest, 16)
                    assert kind <= used and (letter == "+" or (kind and self.alive[kind])), line
                    used += kind == used
                self.line(letter, rest)
        assert used == len(self.kinds) and self.births[0] == self.alive[0] == 1

    def line(self, letter, rest):
        if letter == "s":
            length, text = rest.split(" ", 1)
            assert int(length, 16) == len(text.encode())
            self.strings.append(text)
            return
        if letter == "X":
            assert not self.notes
            self.notes = rest
            return
        numbers = [int(word, 16) for word in rest.split(" ")]
        assert rest == " ".join(f"{n:x}" for n in numbers)
        if letter == "i":
            self.frames.append(self.strings[numbers[2]])
        elif letter == "t":
            self.traces.append(self.traces[numbers[1]] + (self.frames[numbers[0]],))
        elif letter == "a":
            self.kinds.append((numbers[0], self.traces[numbers[1]]))
        elif letter == "c":
            assert numbers[0] > self.ms
            self.ms = numbers[0]
        else:
            (kind,), n = numbers, {"+": 1, "-": -1}[letter]
            self.births[kind] += n > 0
            self.alive[kind] += n
            self.now += n * self.kinds[kind][0]
            self.peak = max(self.peak, self.now)

    def table(self):
        """By path: allocations, bytes, alive, alive bytes."""
        sums = collections.defaultdict(lambda: (0,) * 4)
        for kind, (size, path) in list(enumerate(self.kinds))[1:]:
            add = self.births[kind], self.births[kind] * size, self.alive[kind], self.alive[kind] * size
            sums[path] = tuple(a + b for a, b in zip(sums[path], add))
        return sums


def heaptrack_print(path, cost, work):
    """By path, as heaptrack_print prints stacks: allocations, or bytes leaked or alive at the peak."""
    table, stacks = collections.Counter(), os.path.join(work, "stacks.txt")
    subprocess.run(["heaptrack_print", "-f", path, "-t", "0", "-F", stacks, "--flamegraph-cost-type", cost,
                    "--disable-builtin-suppressions", "-p", "0", "-a", "0", "-T", "0"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(stacks, encoding="utf-8") as file:
        for line in file:
            stack, number = line.rsplit(" ", 1)
            table[tuple(stack.rstrip(";").split(";"))] += int(number)
    table.pop(("cache (none, as heaptrack expects)",))
    return table
