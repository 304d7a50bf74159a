#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: syscalltext.py LIFETRACE DIR KINDS [only|strings]

Compares the lines of `lifetrace syscalls` of DIR/calls.lt with those that strace printed of the
same programs (DIR/decoded.*): names, results, errors by name, and every argument that strace prints
as a name, flags or a number. What strace reads from the memory of the program (texts, structures)
is not compared, nor what it does not decode. At least so many KINDS of calls must be there.
"only": calls of these programs, and of strace, and no others. "strings": the trace has texts and
addresses of sockets, which are compared, too.

Prints "key value" lines; exit status 1 when there is a difference.
"""
import glob
import json
import os
import re
import sys
from collections import Counter, defaultdict

from common import Faults, lines, print_counts

counts = Counter()
# Of which arguments the trace has texts, (name, number), if it has any; and texts that it has not.
recorded = None
missing = defaultdict(list)
TEXT = re.compile(r'^("|\[["\]]|\{sa_family)')
CALL = re.compile(r"^\[ *(?:\w+|\?+)\] (\w+)\((.*)\) += (.*)$")
RESUMED = re.compile(r"^\[ *(?:\w+|\?+)\] <\.\.\. (\w+) resumed>(.*)$")
PLAIN = re.compile(r"^(-?\d+|0x[0-9a-f]+|[A-Z_][A-Za-z0-9_]*)(\|(\d+|0x[0-9a-f]+|[A-Z_][A-Za-z0-9_]*))*$")
# Other names of the same value.
SAME = {"MAP_ANON": "MAP_ANONYMOUS", "AF_LOCAL": "AF_UNIX", "WUNTRACED": "WSTOPPED", "SIGPOLL": "SIGIO"}
# Arguments (from 0 on) that strace prints in another way: a mode as a hexadecimal number with the
# digits of the octal one; flags of a call that has no types here.
OTHER = {("semget", 2), ("memfd_secret", 0)}
# Behind a string that another could have taken the place of.
LATE = " [read at the return]"
# Names of no bit.
ZERO = {"AT_STATX_SYNC_AS_STAT"}
# strace knows more: names of options by other arguments, and sets that have no names here.
FAMILIES = ("PF_", "SOL_", "SO_", "IPPROTO_", "NETLINK_", "PR_", "ARCH_", "TC", "FIO", "TIO", "SIO", "F_SEAL",
            "BPF_", "PERF_", "SECCOMP_", "PTRACE_", "KEY", "IORING_", "MEMBARRIER_", "IPC_", "MS_", "MNT_",
            "UMOUNT_", "SWAP_", "EFD_", "SFD_", "TFD_", "IN_", "MFD_", "SPLICE_", "RENAME_", "P_", "ITIMER_",
            "RUSAGE_", "PRIO_", "SCHED_", "MREMAP_", "MS_", "MCL_", "FALLOC_", "POSIX_FADV", "SYNC_FILE",
            "XATTR_", "CLOSE_RANGE", "GET", "LANDLOCK_", "SYSLOG_", "TIMER_", "KCMP_", "KEXEC_", "Q_", "QCMD",
            "LOCK_", "STATX_", "MPOL_", "SHM_", "MODULE_", "FUTEX_BITSET", "O_RDONLY", "SHUT_", "RWF_",
            "S_I", "PER_", "UFFD_", "PIDFD_", "FAN_", "MOVE_MOUNT", "OPEN_TREE", "FSOPEN", "FSMOUNT",
            "FSPICK", "FSCONFIG", "MOUNT_ATTR", "PKEY_", "AT_STATX_SYNC", "LINUX_", "EPOLL_CLOEXEC", "RSEQ_",
            "MLOCK_", "GRND_", "MADV_", "IOPRIO_", "LOOKUP_", "MSG_NOERROR")


def arguments(text):
    """Splits at the commas outside of quotes and brackets."""
    out, depth, at, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if quoted:
            quoted = c != '"' or text[i - 1] == "\\"
        elif c == '"':
            quoted = True
        elif c in "{[(":
            depth += 1
        elif c in "}])":
            depth -= 1
        elif c == "," and not depth:
            out.append(text[at:i].strip())
            at = i + 1
    return out + [text[at:].strip()] if text[at:].strip() else out


def strace_calls(path):
    """Per thread (name, arguments, result), in the order of ends."""
    found, begun = defaultdict(list), {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            tid, text = line.rstrip("\n").split(None, 1)
            resumed = RESUMED.match(text)
            if text.endswith("<unfinished ...>"):
                begun[tid] = text[:-len("<unfinished ...>")].rstrip()
                continue
            if resumed:
                text = begun.pop(tid, "") + " " + resumed[2]
            match = CALL.match(re.sub(r" /\*.*?\*/", "/**/", text))
            if match:
                found[int(tid)].append((match[1], arguments(match[2]), match[3]))
    return found


def value_of(word):
    """A set of names, with what is left as a number."""
    names, number = set(), 0
    for part in word.split("|"):
        if re.match(r"^(-?\d+|0x[0-9a-f]+)$", part):
            number |= int(part, 8 if re.match(r"^0\d+$", part) else 0)
        else:
            names.add(SAME.get(part, part))
    return names - ZERO, number


def is_same(ours, theirs):
    a, b = value_of(ours), value_of(theirs)
    if a == b:
        return True
    # One of the two may have names for more bits than the other, which prints them as a number.
    for (names, number), (fewer, more) in ((a, b), (b, a)):
        if fewer and fewer < names and number & more == number and number != more:
            counts["bits_without_name"] += 1
            return True
    if a[0] or b[0]:
        return False
    # Numbers are the same in 32 or 64 bits.
    return (a[1] ^ b[1]) & 0xFFFFFFFF == 0 and (abs(a[1]) < 1 << 32 or abs(b[1]) < 1 << 32)


def is_same_text(ours, theirs):
    """The trace may have less of a long one, and says so."""
    theirs = theirs.replace('if_nametoindex("lo")', "1")
    # strace has the address of an element that cannot be read.
    if ours == theirs or ours == re.sub(r"(?<=[\[ ])0x[0-9a-f]+(?=[,\]])", "...", theirs):
        return True
    for end in ('"...', ", ...]", ", ...}"):
        if ours.endswith(end) and theirs.startswith(ours[:-len(end)]):
            counts["cut"] += 1
            return True
    return False


def check_text(name, i, ours, theirs, faults):
    """What is recorded of an argument is recorded of all calls of that name."""
    if ours.endswith(LATE):
        # The call did not change it, or the two differ.
        counts["late"] += 1
        ours = ours[:-len(LATE)]
    if ours.startswith(('"', "[", "{")):
        counts["strings"] += 1
        recorded.add((name, i))
        if theirs.startswith("0x"):
            # strace could not read it, which was written later.
            counts["later"] += 1
            return
        faults.check(is_same_text(ours, theirs), "string", f"{name}, {i + 1}: {ours}; strace {theirs}")
    else:
        missing[(name, i)].append(theirs)


def check_arguments(name, ours, theirs, faults):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if recorded is not None and (TEXT.match(a) or TEXT.match(b)):
            check_text(name, i, a, b, faults)
            continue
        if not PLAIN.match(b) or (name, i) in OTHER:
            counts["not_compared"] += 1
        elif b.startswith(FAMILIES) and not re.search("[A-Z]", a):
            counts["only_strace_has_names"] += 1
        else:
            counts["arguments"] += 1
            counts["arguments_of_names"] += bool(re.search("[A-Z]", b))
            faults.check(is_same(a, b), "argument", f"{name}, {i + 1}: {a}; strace {b}; {ours} {theirs}")


def check_result(call, theirs, faults):
    words = theirs.split()
    if words[0] == "?":
        good = call["ended"] != "returned" or (words[1:] and call["result"] < -511)
    elif words[0] == "-1" and len(words) > 1:
        good = call["error"] == words[1]
    else:
        good = call["error"] is None and (call["result"] ^ int(words[0], 0)) & 0xFFFFFFFF == 0
    faults.check(good, "result", f"{call['name']}: {call['result']} {call['error']}; strace {theirs}")


def threads(found, path, faults):
    """Each thread of strace's: our calls, from the first one on that strace has, and strace's."""
    for tid, theirs in strace_calls(path).items():
        ours = [call for call in found[tid] if not call["flags"] & 2]
        first = next((i for i, call in enumerate(ours) if call["name"] == theirs[0][0] and
                      (call["name"] != "execve" or call["result"] == 0)), None)
        if faults.check(first is not None, "a thread is missing", f"{tid}: {theirs[:2]}"):
            yield tid, ours[first:], theirs


def check_program(found, path, faults):
    for tid, ours, theirs in threads(found, path, faults):
        for call, (name, args, result) in zip(ours, theirs):
            # strace calls numbers that it does not know syscall_0x...
            # strace takes the call apart that the ABI of 32 bits has for all that is about sockets.
            other = name.startswith("syscall_") or call["name"] == "socketcall"
            if not faults.check(call["name"] == name or other, "name", f"{tid}: {call['name']}, strace {name}"):
                break
            counts["calls"] += 1
            if other:
                continue
            check_arguments(name, arguments(call["args"]), args, faults)
            check_result(call, result, faults)
            counts["kind_" + name] += 1
        faults.check(len(ours) >= len(theirs), "strace has calls more", f"{tid}: {theirs[len(ours):][:3]}")


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["only"], ["strings"]):
        raise SystemExit(__doc__)
    global recorded
    recorded = set() if sys.argv[4:] == ["strings"] else None
    program, directory, minimum = sys.argv[1], sys.argv[2], int(sys.argv[3])
    faults, found = Faults(), defaultdict(list)
    for line in lines(program, "syscalls", "--absolute", "--self", "--json", os.path.join(directory, "calls.lt")):
        call = json.loads(line)
        # A backslash in a text is doubled there, besides JSON's own doubling.
        call["args"] = call["args"].replace("\\\\", "\\")
        found[call["tid"]].append(call)
    for path in sorted(glob.glob(os.path.join(directory, "decoded.*"))):
        check_program(found, path, faults)
        # strace makes some processes of its own; before it is executed it is called lifetrace.
        programs = set(strace_calls(path))
        for call in [call for tid in found for call in found[tid] if tid not in programs]:
            mine = call["comm"] == "strace" or (call["comm"], call["name"]) == ("lifetrace", "execve")
            faults.check(mine or sys.argv[4:] != ["only"], "a call of others", call)
    kinds = [key for key in counts if key.startswith("kind_")]
    for key in kinds:
        del counts[key]
    counts["kinds"] = len(kinds)
    faults.check(counts["kinds"] >= minimum, "too few kinds", counts["kinds"])
    for key in recorded or ():
        # A program that was replaced is the one whose memory cannot be read any more.
        faults.check(not missing[key] or key[0] == "execve", "strings are missing", f"{key}: {missing[key][:3]}")
    if recorded is not None:
        counts["kinds_of_strings"] = len(recorded)
        faults.check(len(recorded) >= minimum, "too few kinds of strings", sorted(recorded))
    faults.check(counts["arguments_of_names"] >= minimum // 2, "too few names", counts["arguments_of_names"])
    print_counts(counts)
    faults.print()
    return bool(faults.total)


if __name__ == "__main__":
    sys.exit(main())
