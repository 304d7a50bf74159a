#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: terminal.py TOOL TRACE

Runs reports on a terminal: width, bold headings, NO_COLOR and PAGER, and none of these without a
terminal. Prints what is wrong.
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

BOLD, END = "\033[1m", "\033[m"
faults = 0


def on_terminal(columns, tool, *args, **variables):
    """What a user sees, and the exit status."""
    pid, fd = pty.fork()
    if not pid:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables}
        os.execve(tool, ["lifetrace", *args], env)
    seen = b""
    try:
        while piece := os.read(fd, 65536):
            seen += piece
    except OSError:         # how Linux reports the end of a terminal
        pass
    return seen.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def without_keys(tool, *args):
    """What stands on a terminal that is not the controlling one of the process, as a console at a boot."""
    ours, theirs = pty.openpty()
    done = subprocess.run([tool, *args], stdout=theirs, stdin=subprocess.DEVNULL, start_new_session=True, check=True,
                          timeout=20, env={"PATH": os.environ["PATH"], "TERM": "linux", "PAGER": "sed s/^/:/"})
    os.close(theirs)
    return os.read(ours, 65536).decode() if done.returncode == 0 else ""


def expect(what, right):
    global faults
    if not right:
        print("on a terminal: " + what)
        faults += 1


def widest(text):
    return max(len(line) for line in text.replace(BOLD, "").replace(END, "").splitlines())


def head(text):
    """The heads of the columns."""
    return next(line for line in text.splitlines() if "call site  " in line)


def check_pager(tool, trace):
    """Each command that prints lines goes through the pager, which may end early."""
    for words in ("tasks", "tree", "lifetimes", "dump", "info", "hazards", "leaks --older=1ms",
                  "advice", "verify", "plot", "diff --from=-300ms --to=-100ms"):
        args = [*words.split(), trace]
        paged, status = on_terminal(80, tool, *args, PAGER="sed s/^/:/")
        expect(words + ": PAGER is ignored",
               status == 0 and paged and all(line[0] == ":" for line in paged.splitlines()))
        left, status = on_terminal(80, tool, *args, PAGER="head -n 1")
        expect("%s: a pager that ends early is an error: %d" % (words, status),
               status == 0 and len(left.splitlines()) == 1)
        if words not in ("dump", "hazards", "verify") and "diff" not in words:
            plain, _ = on_terminal(80, tool, *args, "--json", PAGER="sed s/^/:/")
            expect(words + ": JSON goes to the pager", plain and plain[0] == "{")
    for columns in 80, 60:
        leaks, _ = on_terminal(columns, tool, "leaks", "--older=1ms", trace, PAGER="cat")
        table = leaks[leaks.index(head(leaks)):]
        expect("leaks: lines of %d" % widest(table), widest(table) <= columns)
    piped = subprocess.run([tool, "leaks", "--older=1ms", trace], capture_output=True, text=True,
                           env={**os.environ, "PAGER": "false"}).stdout
    expect("leaks: a pipe lacks columns", " max" in head(piped) and "no room" not in piped)


# Each command that prints lines, and whether a line that is too long is folded: then all words are
# there. The others name what has no room.
SCREENS = {
    "report": False, "report alive": False, "report --all -n 0": False, "leaks --older=1ms": False,
    "advice --older=1ms": True, "plot": False, "lifetimes": False, "tasks": False, "tree": False,
    "hazards": True, "verify --cpus": False, "info": False, "dump": True, "syscalls": True,
    "syscalls --summary": False, "syscalls --tree": False, "history 0xffff88803cc6e4e8": True,
    "diff --from=-300ms --to=-100ms": False, "check -e lost==0": True, "memory": True,
    "memory --at=-100ms": False,
}


def words_of(text):
    return "".join(text.replace(BOLD, "").replace(END, "").split())


def check_width(tool, trace):
    """No line is wider than the terminal, or than --width, and what has no room is named."""
    folder = os.path.dirname(trace)
    for name in "x86_64", "x86_64-zstd", "s390x", "rare":
        for words, folded in SCREENS.items():
            command = [*words.split(), os.path.join(folder, name + ".lt")]
            piped = subprocess.run([tool, *command], capture_output=True, text=True,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
            if piped.returncode == 2:
                continue
            for columns in 80, 60:
                seen, status = on_terminal(columns, tool, *command, PAGER="cat")
                where = "%s of %s: " % (words, name)
                expect(where + "exit status %d" % status, status == piped.returncode)
                expect(where + "a line of %d" % widest(seen), widest(seen) <= columns)
                named = "no room" in seen or "0 in all of them" in seen or "…" in seen
                longest = max(map(len, piped.stdout.splitlines()))
                expect(where + "something is left out silently", named or longest <= 80 or
                       words_of(piped.stdout) in words_of(seen))
                if folded:
                    expect(where + "is not whole",
                           words_of(piped.stdout) in words_of(seen))
            chosen = subprocess.run([tool, *command, "--width=60"], capture_output=True, text=True,
                                    env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
            expect(where + "--width=60 is ignored", widest(chosen) <= 60)
            free, _ = on_terminal(60, tool, *command, "--width=0", PAGER="cat")
            expect(where + "--width=0 leaves something out",
                   "no room" not in free and widest(free) >= min(longest, 80))


def main(tool, trace):
    check_pager(tool, trace)
    check_width(tool, trace)
    piped = subprocess.run([tool, "report", "alive", trace], capture_output=True, text=True,
                           env={**os.environ, "PAGER": "false", "COLUMNS": "50"}).stdout
    expect("a pipe gets bold text", piped and BOLD not in piped)
    wide, status = on_terminal(160, tool, "report", "alive", trace, PAGER="cat")
    expect("the exit status is %d" % status, status == 0)
    expect("headings are not bold", BOLD in wide)
    expect("a wide one has no more columns", 80 < widest(wide) <= 160 and " p99" in head(wide))
    narrow, _ = on_terminal(60, tool, "report", "alive", trace, PAGER="cat", NO_COLOR="1")
    expect("NO_COLOR has bold headings", BOLD not in narrow)
    expect("a narrow one has wide lines", widest(narrow) <= 60)
    expect("columns without room are not named", " p99" not in head(narrow) and
           "p99_ns" in narrow.partition("no room for: ")[2])
    columns, _ = on_terminal(160, tool, "report", "alive", trace, PAGER="cat", COLUMNS="60",
                             NO_COLOR="1")
    expect("COLUMNS is ignored", columns == narrow)
    bare = without_keys(tool, "info", trace)
    expect("a pager where nobody can press a key", bare and bare[0] != ":")
    paged, status = on_terminal(80, tool, "report", "alive", trace, PAGER="sed s/^/:/")
    expect("PAGER is ignored", status == 0 and all(line[0] == ":" for line in paged.splitlines()))
    left, status = on_terminal(80, tool, "report", "--all", "-n", "0", trace, PAGER="head -n 2")
    expect("a pager that ends early is an error", status == 0 and len(left.splitlines()) == 2)
    none, status = on_terminal(80, tool, "report", "alive", trace, PAGER="no-such-pager")
    expect("without the pager nothing is printed", status == 0 and len(none.splitlines()) > 10)
    screen, _ = on_terminal(80, tool, "report", trace, PAGER="false")
    expect("the first screen goes to the pager", 15 <= len(screen.splitlines()) <= 22)
    dumb, _ = on_terminal(80, tool, "report", trace, TERM="dumb")
    expect("TERM=dumb has bold headings", dumb and BOLD not in dumb)
    return faults > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
