# SPDX-License-Identifier: GPL-2.0
"""System calls and requests of io_uring in exports, by the rows of `syscalls --json`.

Each comparison is a text, what is expected, and what was found.
"""
import collections
from names import escaped

REQUEST = ("begin_ns", "end_ns", "duration_ns", "cpu", "tid", "tgid", "task_start_ns", "comm", "name", "result",
           "error", "ended")


def args_of(row):
    """The arguments as exports have them: JSON has two backslashes for each."""
    return row["args"].replace(r"\\", "\\")


def split(rows):
    """The rows of calls, and those of requests."""
    return [r for r in rows if r["abi"] != "io_uring"], [r for r in rows if r["abi"] == "io_uring"]


def request_of(row):
    """A request with the columns of the tables."""
    remarks = row["remarks"] or ""
    return dict({k: row[k] for k in REQUEST}, comm=escaped(row["comm"]), opcode=row["nr"] if row["nr"] >= 0 else None,
                user_data=row["arg0"], by_worker=int("by a worker" in remarks), goes_on=int("goes on" in remarks),
                uncertain=int("perhaps" in remarks))


def compare(what, expected, found):
    """Row by row; @found may have columns more."""
    yield f"the number of {what}", {"": f"{len(expected)} rows"}, {"": f"{len(found)} rows"}
    wrong = {}
    for n, (want, have) in enumerate(zip(expected, found)):
        if not want["comm"]:        # the table of tasks has those that the trace describes
            have.update(tgid=want["tgid"], task_start_ns=want["task_start_ns"])
        wrong.update(((n, k), (want.get(k, "no such column"), have[k])) for k in have
                     if k != "id" and want.get(k, "no such column") != have[k])
    yield f"{what} one by one", {"": "equal"}, {"": dict(list(wrong.items())[:3]) or "equal"}


def of_database(db, calls, requests):
    calls = [dict(row, comm=escaped(row["comm"]), args=args_of(row)) for row in calls]
    yield from compare("system calls", calls, [dict(row) for row in db.execute("SELECT * FROM syscalls ORDER BY id")])
    counted, sums = collections.Counter(), collections.Counter()
    for row in calls:
        if not row["flags"] & 2:
            sums[row["abi"], row["nr"]] += row["duration_ns"] or 0
            counted[row["abi"], row["nr"]] += 1
    yield "may be empty", {("by_syscall", *k): (n, sums[k]) for k, n in counted.items()}, \
        {("by_syscall", r["abi"], r["nr"]): (r["calls"], r["time_ns"] or 0)
         for r in db.execute("SELECT * FROM by_syscall")}
    requests = [request_of(row) for row in requests]
    yield from compare("requests", requests, [dict(row) for row in db.execute("SELECT * FROM requests ORDER BY id")])
    counted, sums = collections.Counter(), collections.Counter()
    for row in requests:
        counted[row["opcode"]] += 1
        sums[row["opcode"]] += row["duration_ns"] or 0
    yield "may be empty", {("by_request", k): (n, sums[k]) for k, n in counted.items()}, \
        {("by_request", r["opcode"]): (r["results"], r["time_ns"] or 0) for r in db.execute("SELECT * FROM by_request")}


def functions_of_perfetto(file, tasks, rows):
    """Each call of a function, on the track of its thread, or on one of its own."""
    lives = {(t["tid"], t["start_ns"]): t for t in tasks}
    expected = collections.Counter()
    for row in rows:
        life = lives.get((row["tid"], row["task_start_ns"])) if row["ctx"] == "task" and row["tid"] else None
        first, last = row["end_ns"] if row["begin_ns"] is None else row["begin_ns"], row["end_ns"]
        if row["ctx"] != "task":
            track = f"{row['ctx']} on cpu {row['cpu']}"
        else:
            track = row["tid"] if life else f"idle on cpu {row['cpu']}" if not row["tid"] else None
        expected[track, row["function"], first, None if row["ended"] == "open" else last - first, row["error"],
                 row["module"], args_of(row), args_of({"args": row["result"] or ""}), row["ended"],
                 str(row["objects"] or "none"), str(row["bytes"] or "none")] += 1
    late = "ns drawn late"
    yield "function calls" if expected else "may be empty", expected, collections.Counter(
        (row[0] if isinstance(row[0], int) or " on cpu " in row[0] else None, row[1], row[2] - row[4].get(late, 0),
         None if row[3] is None else row[3] + row[4].get(late, 0), row[4].get("error"),
         row[4].get("module"), str(row[4].get("args", "")), str(row[4].get("result", "")),
         row[4].get("ended", "returned"), str(row[4].get("objects allocated", "none")),
         str(row[4].get("bytes allocated", "none"))) for row in file.functions)


def of_perfetto(file, begin, tasks, calls, requests):
    """Each call of a thread that the tasks have, within the life of its thread; each request below its thread."""
    lives = {(t["tid"], t["start_ns"]): t for t in tasks}
    # Of tasks that were there before the trace: when their slices begin.
    older = {row[3]: row[5] for row in file.tasks if row[7]["certainty of the birth"] == "before"}
    expected = collections.Counter()
    for call in calls:
        life = lives.get((call["tid"], call["task_start_ns"]))
        # The first return of a thread is no call of its own.
        if not life or call["flags"] & 2:
            continue
        first = call["begin_ns"] or (begin if call["flags"] & 1 else call["end_ns"])
        first = max(first, life["birth_ns"] or older.get(call["tid"], begin))
        last = min(call["end_ns"], life["end_ns"] or 1 << 63)
        if first <= last:
            expected[call["tid"], call["name"] or f"call_{call['nr']}", first,
                     None if call["ended"] == "open" else last - first, call["error"], args_of(call)] += 1
    yield "system calls" if expected else "may be empty", expected, collections.Counter(
        (*row[:4], row[4].get("error"), str(row[4].get("args", ""))) for row in file.calls)
    expected = collections.Counter()
    for row in map(request_of, requests):
        if (row["tid"], row["task_start_ns"]) not in lives:
            continue
        opcode = "?" if row["opcode"] is None else row["opcode"]
        slice_ = row["begin_ns"] is not None and not row["goes_on"]
        length = None if row["ended"] == "open" else row["duration_ns"] if slice_ else 0
        expected[row["tid"], row["name"] or f"IORING_OP_{opcode}", row["begin_ns"] if slice_ else row["end_ns"],
                 length, row["error"], row["user_data"], str(row["result"]), bool(row["by_worker"]),
                 bool(row["goes_on"]), bool(row["uncertain"])] += 1
    yield "may be empty", expected, collections.Counter(
        (*row[:4], row[4].get("error"), row[4]["user_data"], str(row[4].get("result")), "by" in row[4],
         "goes on" in row[4], "uncertain" in row[4]) for row in file.requests)
