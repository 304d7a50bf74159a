#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: module.py FILE ODD

What the module lifetrace has besides rows: errors, what a trace says of itself, and objects for Arrow, which are
released when nobody takes them. FILE is tests/golden/rare.lt. ODD is a trace with bytes that are no UTF-8 in its own name
and in a key of INFO, without function calls.
"""
import gc
import subprocess
import sys
import tempfile

import lifetrace


def refused(code, call, *args, **options):
    try:
        call(*args, **options)
    except lifetrace.Error as error:
        assert error.code == code and str(error), (error.code, str(error))
    else:
        raise AssertionError("not refused")


def closed(rows):
    try:
        list(rows)
    except ValueError:
        return True
    return False


def odd_texts(path, odd):
    """Texts that are cut off, or no UTF-8, and a zero, behind which C does not look."""
    for n in range(4):
        refused(2, lifetrace.open, "x" * n + ("é" * 100 + "/") * 8)
        refused(2, lifetrace.open, "x" * n + ("\U0001f600" * 60 + "/") * 8)
    with lifetrace.open(path) as trace:
        for n in range(2):
            refused(1, trace.rows, "x" * n + "é" * 100)
            refused(1, trace.rows, "lifetime", columns="x" * n + "é" * 100)
        for call in (lambda: lifetrace.open(path + "\0x"), lambda: trace.rows("lifetime\0x"),
                     lambda: trace.rows("lifetime", columns="cache\0x"), lambda: lifetrace.columns_of("task\0x")):
            try:
                call()
            except ValueError:
                continue
            raise AssertionError("a zero is not refused")
    with lifetrace.open(odd) as trace:
        refused(3, trace.rows, "call")
        assert trace.info["odd"] == "\\xfe" and all(key.isprintable() for key in trace.info), trace.info


# An object that lives longer than the module, which is gone before builtins and sys are. Rows have its functions with
# them, a capsule has not.
AT_THE_END = """
import builtins
import sys
import lifetrace
trace = lifetrace.open(sys.argv[1])
builtins.kept = sys.kept = {}
"""


def ends(path):
    for kept in ('trace.rows("task").__arrow_c_stream__()', 'trace, iter(trace.rows("task")), trace.rows("task")'):
        done = subprocess.run([sys.executable, "-c", AT_THE_END.format(kept), path], capture_output=True, check=False)
        assert done.returncode == 0 and not done.stderr, done


def main(path, odd):
    refused(2, lifetrace.open, path + ".none")
    refused(1, lifetrace.open, "-")
    odd_texts(path, odd)
    ends(path)
    trace = lifetrace.open(path)
    assert trace.info["machine"] == "x86_64" and trace.about["begin_ns"] < trace.about["end_ns"]
    for c in trace.classes():
        assert c["seen"] == c["written"] + c["filtered"] + sum(n for name, n in c.items() if name.startswith("lost_")), c
    refused(1, trace.rows, "nothing")
    refused(1, trace.rows, "lifetime", columns="cache,none")
    refused(1, trace.rows, "lifetime", columns="cache,cache")
    assert set(lifetrace.kinds()) == {"lifetime", "task", "syscall", "request", "call"}
    for kind in lifetrace.kinds():
        names = [c.name for c in lifetrace.columns_of(kind)]
        rows = trace.rows(kind, columns=names)
        assert rows.names == names
        # Without addresses no secret is known.
        for i, c in enumerate(rows.info):
            if c.secret:
                assert all(row[i] is None for row in trace.rows(kind, columns=names))
    first = next(iter(trace.lifetimes(addresses=True)))
    assert first.address and first._asdict() == next(trace.lifetimes(addresses=True).dicts())
    clock = next(iter(trace.lifetimes(clock=True)))
    assert clock.birth_ns == first.birth_ns + trace.about["begin_ns"] and trace.wall(clock.birth_ns) > 0
    rows = trace.lifetimes()
    trace.close()
    assert sum(1 for _ in rows) > 100 and rows.loss()["lost"] > 0 and rows.loss()["at_least"] == 0
    assert not trace._handle
    # What came behind the end of a file that was cut off is lost, too.
    with tempfile.NamedTemporaryFile(suffix=".lt") as torn:
        with open(path, "rb") as whole:
            torn.write(whole.read()[:-100])
        torn.flush()
        with lifetrace.open(torn.name) as cut:
            rows = cut.lifetimes()
            assert sum(1 for _ in rows) > 100 and rows.loss()["at_least"] == 1
    for _ in range(3):
        with lifetrace.open(path) as again:
            rows = again.lifetimes()
        capsule = rows.__arrow_c_stream__()
        assert "arrow_array_stream" in repr(capsule) and closed(rows)
        del capsule
        gc.collect()
        assert not lifetrace._streams


main(*sys.argv[1:])
