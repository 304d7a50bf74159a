# SPDX-License-Identifier: GPL-2.0
"""What `reading` and `size` share: programs that are built, traces that are made and
checked against what their maker knows, runs that are timed, samples."""

import os
import subprocess
import sys

BENCH = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(BENCH))
BUILD = os.path.join(TOP, "build", "bench")
BIN = os.path.join(BUILD, "bin")
LIFETRACE = os.path.join(TOP, "lifetrace")
EVENTS = ("kmalloc", "kmem_cache_alloc", "kfree", "kmem_cache_free")
CERTAINTIES = ("exact", "open", "before", "bounded", "uncertain")
CHUNK = 1 << 20


def die(text):
    sys.exit(f"bench: {text}")


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def output(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode:
        die(f"{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def prepare():
    output("make", "-s", "-C", BENCH)


def work_dir(name):
    path = os.path.join(BUILD, name)
    os.makedirs(path, exist_ok=True)
    return path


def assignments(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


class Peers:
    """The tools that lifetrace is compared with, see reading-peers."""

    def __init__(self):
        self.__dict__.update(assignments(output(os.path.join(BENCH, "reading-peers"))))
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.PEERS_PATH, DEBUGINFOD_URLS="",
                                BABELTRACE_PLUGIN_PATH=self.BABELTRACE2_PLUGINS)
        self.libraries = os.path.join(self.PEERS_GUEST, "usr/lib/x86_64-linux-gnu")


def guest(job, out, files, peers=None, variables=(), options=()):
    """Runs a job in a virtual machine; returns the directory of its results."""
    module = assignments(output(os.path.join(TOP, "tests/vm/boot/build-module"), "6.1"))["MODULE"]
    command = [os.path.join(TOP, "tests/vm/boot/run"), "--kernel", "6.1", "--job", job, "--out", out,
               *options]
    environment = dict(os.environ)
    for name, value in variables:
        command += ["--env", f"{name}={value}"]
    if peers:
        command += ["--host-tree", f"{peers.PEERS_GUEST}:/"]
        environment["LD_LIBRARY_PATH"] = peers.libraries
    work = [os.path.join(BIN, "storm"), os.path.join(BIN, "hammer"),
            os.path.join(BENCH, "size-work")]
    output(*command, LIFETRACE, module, *work, *files, env=environment)
    return os.path.join(out, "out")


def warm(path):
    """Into the page cache, so that no disk is measured."""
    with open(path, "rb") as file:
        while file.read(CHUNK):
            pass


class Run:
    """One run of a reader, its output thrown away."""

    def __init__(self, command, environment=None):
        words = output(os.path.join(BIN, "reading-run"), *command, env=environment,
                       stderr=subprocess.DEVNULL).split()
        if words[3] != "0":
            die(f"{' '.join(command)}: exit status {words[3]}")
        self.seconds, self.cpu_ns, self.mib = int(words[0]) / 1e9, int(words[1]), \
            int(words[2]) / 1024


class Samples:
    """build/bench/NAME.samples, and the table of it."""

    def __init__(self, name):
        self.base = os.path.join(BUILD, name)
        os.makedirs(BUILD, exist_ok=True)
        self.file = open(f"{self.base}.samples", "w", encoding="utf-8")

    def add(self, group, mode, unit, value):
        print(group, mode, unit, f"{value:.6g}", file=self.file, flush=True)

    def note(self, group, mode, text):
        print("note", group, mode, text, file=self.file, flush=True)

    def table(self, base=None):
        self.file.close()
        with open(f"{self.base}.txt", "w", encoding="utf-8") as text:
            subprocess.run([os.path.join(BENCH, "table.py"), *(["--base", base] if base else []),
                            "--json", f"{self.base}.json", f"{self.base}.samples"],
                           stdout=text, check=True)
        with open(f"{self.base}.txt", encoding="utf-8") as text:
            print(text.read(), end="")


def lines_of(command, environment=None):
    """How many lines a command prints."""
    count = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment) as process:
        while chunk := process.stdout.read(CHUNK):
            count += chunk.count(b"\n")
    if process.returncode:
        die(f"{' '.join(command)}: exit status {process.returncode}")
    return count


def read_truth(path):
    with open(path, encoding="utf-8") as file:
        return {key: int(value) for key, value in map(str.split, file)}


def make_trace(maker, path, arguments):
    """A trace of mktrace or mktasks, and the truth about it."""
    options = [f"{option}{value}" for option, value in arguments.get("options", {}).items()]
    output(os.path.join(TOP, "build/user", maker), *options, "-t", f"{path}.truth", path,
           str(arguments["size"]), str(arguments.get("cpus", 2)))
    return read_truth(f"{path}.truth")


def compare(path, what, found, truth):
    if found != truth:
        die(f"{path}: {what}: {found}, but the truth is {truth}")


def lifetimes_by_certainty(path):
    found = dict.fromkeys(CERTAINTIES, 0)
    with subprocess.Popen([LIFETRACE, "lifetimes", "--csv", path],
                          stdout=subprocess.PIPE) as process:
        column = process.stdout.readline().split(b",").index(b"certainty")
        for line in process.stdout:
            found[line.split(b",", column + 1)[column].decode()] += 1
    return found


def check_allocations(path, truth):
    """dump and lifetimes say what mktrace knows to be true."""
    wanted = {name: truth[name] for name in CERTAINTIES}
    compare(path, "lifetimes", lifetimes_by_certainty(path), wanted)
    only = [word for name in EVENTS for word in ("-e", name)]
    compare(path, "dump, lines", lines_of([LIFETRACE, "dump", *only, path]), truth["records"])
