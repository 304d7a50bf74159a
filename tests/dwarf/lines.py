#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: lines.py [--calls REGEX] [--most N] TOOL MKLINES FILE DIR
       lines.py --trace TRACE --place ADDRESS TOOL - FILE DIR

Compares the source lines that `lifetrace dump` prints with those of addr2line -i (binutils) and
eu-addr2line -i (elfutils): for call sites of FILE, an ELF program like a
kernel (it has a symbol _stext) or a module. A synthetic trace in DIR has an allocation by each
site, at the addresses where KASLR, or the loader of modules, could have put it.

The two do not always agree: addr2line 2.40 takes some lines of a header for those of the file that
includes it, eu-addr2line 0.188 leaves out some callers of inlined functions. Where they contradict
each other, in at most one of a hundred sites, equality with one of them is enough.

--calls chooses calls of functions whose names match; --most takes at most N sites, spread over
the file. With --trace, the sites are those of a recorded trace that lie in the .text of the module FILE, which
was loaded at ADDRESS; 10 are enough then.

Prints the numbers of sites, frames and differences. The exit status is 0 if there are at least 100
sites, and no difference.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

AT_LEAST = 100


def run(*command, check=True, **more):
    return subprocess.run(command, check=check, capture_output=True, text=True, **more).stdout


class Subject:
    """The file, and where its code is in the trace."""

    def __init__(self, path, chance):
        self.path = path
        head = run("readelf", "-hW", path)
        self.module = "REL (Rel" in head
        # Where there are notes that it does not know, its status is 1.
        found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path, check=False))
        self.build_id = found.group(1) if found else "-"
        self.sections = {}              # number: (name, address in the file, in the trace)
        place = 0xffffffffc0000000 + 0x1000 * chance.randrange(1, 1000)
        shift = 0x200000 * chance.randrange(1, 500)
        for number, name, addr, size in re.findall(
                r"\[ *(\d+)\] (\.\S*text\S*) +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)",
                run("readelf", "-SW", path)):
            addr, size = int(addr, 16), int(size, 16)
            self.sections[number] = (name, addr, place if self.module else addr + shift)
            place += (size + 0x1fff) & ~0xfff
        self.name = re.sub(r"\.ko.*|[^.\w]", "", os.path.basename(path).replace("-", "_"))

    def symbols(self):
        """(address in the trace, type, name)"""
        for value, kind, bind, number, name in re.findall(
                r"^ *\d+: ([0-9a-f]+) +\S+ (FUNC|NOTYPE) +(LOCAL|GLOBAL|WEAK) +\S+ +(\d+) (\S+)",
                run("readelf", "-sW", self.path), re.M):
            if number in self.sections and (kind == "FUNC" or name == "_stext"):
                _, begin, place = self.sections[number]
                yield int(value, 16) - begin + place, "t" if bind == "LOCAL" else "T", name

    def calls(self, regex):
        """(section, return address in the file, in the trace) of each call."""
        names = dict(re.findall(r"^ *\d+: 0*([0-9a-f]+) .* (\S+)$", run("readelf", "-sW", self.path), re.M))
        for name, begin, place in self.sections.values():
            behind, loaded = False, {}
            for line in run("objdump", "-dr", "--no-show-raw-insn", "-j", name, self.path).splitlines():
                found = re.match(r" *([0-9a-f]+):\t(\S+)(.*)", line)
                if not found:
                    # A relocation names the function of a module's call.
                    continue
                if behind:
                    addr = int(found.group(1), 16)
                    yield name, addr, addr - begin + place
                # In the large code model a call has its target in a register.
                move = re.match(r"movabs +\$0x([0-9a-f]+),(%\w+)", found.group(2) + found.group(3))
                if move:
                    loaded[move.group(2)] = names.get(move.group(1), "")
                target = found.group(3) + loaded.get(found.group(3).strip().lstrip("*"), "")
                behind = found.group(2).startswith("call") and re.search(regex, target)

    def write(self, work, sites):
        base = min(place for _, _, place in self.sections.values())
        with open(f"{work}/symbols", "w", encoding="ascii") as file:
            if self.module:
                file.write("ffffffff81000000 T _stext\n")
            for addr, kind, name in self.symbols():
                file.write("%x %s %s%s\n" % (addr, kind, name, f"\t[{self.name}]" if self.module else ""))
        with open(f"{work}/modules", "w", encoding="ascii") as file:
            if self.module:
                file.write(f"{self.name} {64 << 20} 0 - Live {base:#x}\n")
        with open(f"{work}/builds", "w", encoding="ascii") as file:
            file.write("kernel " + ("00112233\n" if self.module else self.build_id + "\n"))
            if self.module:
                file.write(f"module {self.name} {self.build_id}" + "".join(
                    f" {name}={place:#x}" for name, _, place in self.sections.values()) + "\n")
        with open(f"{work}/addresses", "w", encoding="ascii") as file:
            file.writelines("%x\n" % place for _, _, place in sites)


def of_addr2line(program, subject, sites):
    """The frames of each site, the innermost first: (function, path, line)."""
    frames = {}
    for section in {section for section, _, _ in sites}:
        some = [addr for name, addr, _ in sites if name == section]
        command = [program, "-a", "-f", "-i", "-e", subject.path]
        if subject.module:
            command += ["-j", section]
        lines = run(*command, input="".join("%#x\n" % (addr - 1) for addr in some)).splitlines()
        at, addrs = iter(lines), iter(some)
        for line in at:
            # With -j eu-addr2line prints the address where it has put the section.
            if re.match(r"0x[0-9a-f]+", line):
                addr = next(addrs)
                frames[section, addr] = []
                continue
            path, _, number = next(at).partition(" (")[0].rpartition(":")
            if program.startswith("eu-") and re.search(r":\d+$", path):
                path, _, number = path.rpartition(":")
            function = line.split(" inlined at ")[0]
            frames[section, addr].append((function, os.path.normpath(path), number))
    return frames


def of_tool(tool, work, subject, trace):
    command = [tool, "dump", "--json", "--debuginfo", subject.path, trace]
    found = {}
    for line in run(*command, env={**os.environ, "XDG_CACHE_HOME": f"{work}/cache"}).splitlines():
        event = json.loads(line)
        if int(event.get("call_site", "0"), 16) in found or "call_site_file" not in event:
            continue
        frames = [(text.split(" ")[0], *text.split(" ", 1)[1].rsplit(":", 1))
                  for text in event["call_site_inlined"] or []]
        frames.append((None, event["call_site_file"], str(event["call_site_line"])))
        found[int(event["call_site"], 16)] = frames
    return found


def same(ours, theirs):
    if len(ours) != len(theirs):
        return False
    for (function, path, line), (their_function, their_path, their_line) in zip(ours, theirs):
        if function is not None and function != their_function:
            return False
        if their_line in ("?", "0"):
            if line not in ("0", "None"):
                return False
            continue
        if line != their_line or path is None or not ("/" + their_path).endswith("/" + path.lstrip("/")):
            return False
    return True


def sites_of_trace(subject, ours, place):
    """Those in the .text of the module."""
    number, = [number for number, (name, _, _) in subject.sections.items() if name == ".text"]
    size = int(re.search(r"\] \.text +PROGBITS +\S+ \S+ (\S+)", run("readelf", "-SW", subject.path)).group(1), 16)
    subject.sections = {number: (".text", 0, place)}
    return [(".text", addr - place, addr) for addr in sorted(ours) if place < addr <= place + size]


def compare(subject, sites, ours, at_least):
    """Prints the figures. Returns whether there are differences, or too few sites."""
    bad = len(sites) < at_least
    programs = "eu-addr2line", "addr2line"
    theirs = {program: of_addr2line(program, subject, sites) for program in programs}
    differ = {program: {site for site in sites if not same(ours[site[2]], theirs[program][site[:2]])}
              for program in programs}
    wrong = set.intersection(*differ.values())
    alone = set.union(*differ.values()) - wrong
    print(f"{os.path.basename(subject.path)}: {len(sites)} call sites, "
          f"{sum(len(ours[place]) for _, _, place in sites)} frames; " +
          ", ".join(f"{len(differ[program])} differ from {program} -i" for program in programs) +
          f", {len(wrong)} from both")
    for section, addr, place in sorted(wrong)[:20] + sorted(alone)[:5]:
        print(f"  {section} {addr:#x}: {ours[place]}", *(f"\n    {program}: {theirs[program][section, addr]}"
                                                       for program in programs))
    return bool(bad or wrong or len(alone) > len(sites) // 100)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", default="")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--trace")
    parser.add_argument("--place")
    for name in "tool", "mklines", "file", "dir":
        parser.add_argument(name)
    o = parser.parse_args()
    shutil.rmtree(o.dir, ignore_errors=True)
    os.makedirs(o.dir)
    subject = Subject(o.file, random.Random(os.path.basename(o.file)))
    if o.trace:
        ours = of_tool(o.tool, o.dir, subject, o.trace)
        sys.exit(compare(subject, sites_of_trace(subject, ours, int(o.place, 16)), ours, 10))
    sites = sorted(set(subject.calls(o.calls)))
    sites = sites[::max(1, len(sites) // o.most)][:o.most]
    subject.write(o.dir, sites)
    texts = [f"{o.dir}/{name}" for name in ("symbols", "modules", "builds")]
    with open(f"{o.dir}/addresses", encoding="ascii") as addresses:
        subprocess.run([o.mklines, f"{o.dir}/x.lt", *texts], stdin=addresses, check=True)
    sys.exit(compare(subject, sites, of_tool(o.tool, o.dir, subject, f"{o.dir}/x.lt"), AT_LEAST))


if __name__ == "__main__":
    main()
