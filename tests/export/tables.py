#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: tables.py FORMAT TOOL TRACE WORK [MODULES]

Whether the tables of an export, FORMAT clickhouse or parquet, have each value of `lifetimes --json`,
`tasks --json`, `syscalls --json`, `calls --json`, `report --json` and `info --json`, and nothing else. Those of parquet are read by DuckDB,
which is in the folder MODULES; those of clickhouse as the file of its tables says. Which tables there are says
the tool; one that nothing here compares is a failure. Prints what differs.
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import calls  # noqa: E402
from names import escaped, has_calls, site_text, table_names  # noqa: E402
from recorded import as_recorded  # noqa: E402

format_, tool, trace, work, *modules = sys.argv[1:]
top = os.path.join(os.path.dirname(__file__), "../..")
problems = 0
TABLES = ["trace", *table_names(tool)]
MINUTE = 60 * 10 ** 9
NAMES = {"cache", "gfp", "birth_site", "birth_comm", "death_site", "death_comm", "comm", "file", "first_file",
         "cgroup_path", "why"}


# Counters of tasks are in lines alone: few recordings have any, and a table has its columns for good.
COUNTERS = {"instructions", "cycles", "cache_references", "cache_misses", "branches", "branch_misses", "task_clock_ns",
            "page_faults", "context_switches", "cpu_migrations", "counted_percent", "counted_user"}


def differ(what, expected, found):
    global problems
    if expected == found:
        return
    problems += 1
    if isinstance(expected, dict) and isinstance(found, dict):
        wrong = [k for k in sorted(set(expected) | set(found), key=repr) if expected.get(k) != found.get(k)]
        for key in wrong[:3]:
            print(f"{trace}: {what}: {key!r}: expected {expected.get(key)}, found {found.get(key)}")
    else:
        print(f"{trace}: {what}: expected {expected}, found {found}")


def run(*words):
    done = subprocess.run([tool, *words, trace], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def lines(*words):
    return [json.loads(line) for line in run(*words).splitlines()]


# The tables

def schema():
    """The columns of each table by the statements that make them in ClickHouse."""
    with open(os.path.join(top, "share/sql/clickhouse/tables.sql"), encoding="utf-8") as file:
        text = file.read()
    return {m[1]: re.findall(r"^\t(\w+) (\S+?),?$", m[2], re.M)
            for m in re.finditer(r"EXISTS (\w+) \((.*?)\n\)", text, re.S)}


def from_text(kind, value):
    kind = re.sub(r"Nullable\((.*)\)", r"\1", kind) if value != "\\N" else None
    if kind is None:
        return None
    if kind == "Int64":
        return int(value)
    if kind.startswith("Array"):
        return [int(n) for n in value[1:-1].split(",") if n]
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], m[1]), value)


def read_clickhouse(folder, table):
    rows, columns = [], schema()[table]
    for path in sorted(glob.glob(f"{folder}/{table}/*/*/*.tsv")):
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                values = line[:-1].split("\t")
                assert len(values) == len(columns), f"{path}: {len(values)} values, {len(columns)} columns"
                row = {name: from_text(kind, v) for (name, kind), v in zip(columns, values)}
                assert f"date={row['date']}" in path
                rows.append(row)
    return rows


def read_parquet(folder, table):
    statements = [f"SET VARIABLE lake = '{folder}'"]
    for path in glob.glob(os.path.join(top, "share/sql/duckdb/*.sql")):
        with open(path, encoding="utf-8") as file:
            text = re.sub("^--.*", "", file.read(), flags=re.M)
        statements += [s for s in text.split(";") if f" VIEW {table} " in s]
    statements += [f"DESCRIBE {table}", f"SELECT * FROM {table}"]
    done = subprocess.run(["node", os.path.join(top, "tests/export/duckdb/query.mjs"), modules[0]],
                          input=json.dumps(statements), capture_output=True, check=True, text=True)
    *_, described, rows = json.loads(done.stdout)
    kinds = {row["column_name"]: row["column_type"] for row in described}
    mine = {"Int64": "BIGINT", "String": "VARCHAR", "Array(Int64)": "BIGINT[]", "Date": "DATE"}
    differ(f"the columns of {table}", {n: mine[re.sub(r"Nullable\((.*)\)", r"\1", k)] for n, k in schema()[table]},
           kinds)
    for row in rows:
        for name, kind in kinds.items():
            if kind == "BIGINT" and row[name] is not None:
                row[name] = int(row[name])
            elif kind == "BIGINT[]":
                row[name] = [int(n) for n in row[name]]
    return rows


def export(*words):
    """The folder of an export, made twice: once more changes no byte."""
    folder = os.path.join(work, "lake")
    shutil.rmtree(folder, ignore_errors=True)
    contents = []
    for _ in range(2):
        run("export", f"--format={format_}", "-o", folder, f"--tables={','.join(TABLES[1:])}", *words)
        files = {}
        for path in glob.glob(f"{folder}/**", recursive=True):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    files[path] = file.read()
        contents.append(files)
    differ("the second export", sorted(contents[0]), sorted(contents[1]))
    differ("the bytes of the second export", True, contents[0] == contents[1])
    return {table: globals()[f"read_{format_}"](folder, table) for table in
            TABLES if glob.glob(f"{folder}/{table}")}


# What they must have

def space_of(row):
    kind = row["kind"]
    return "pages" if kind.startswith("page") else kind if kind in ("percpu", "vmalloc", "dma") else "slab"


class Trace:
    """What the commands say of the trace."""
    def __init__(self):
        self.info = json.loads(run("info", "--absolute", "--json"))
        self.lifetimes = lines("lifetimes", "--absolute", "--json")
        self.has_tasks = "pid" in self.info["info"].get("channels", "").split(",")


def check_lifetimes(tables, said, addresses):
    lifetimes = said.lifetimes
    differ("the number of lifetimes", len(lifetimes), len(tables.get("lifetime", [])))
    wrong = {}
    for n, (want, have) in enumerate(zip(lifetimes, tables.get("lifetime", []))):
        want = dict(want, space=space_of(want))
        address = want.pop("address")
        want["address"] = (int(address, 16) + 2 ** 63) % 2 ** 64 - 2 ** 63 if addresses else None
        for name in NAMES & set(want):
            want[name] = escaped(want[name])
        for name in ("birth_site", "death_site"):
            want[name] = want[name] if addresses else site_text(want[name])
        for name in ("birth_stack", "death_stack"):
            frames = want.get(name)
            want[name] = frames and " < ".join(escaped(f) if addresses else site_text(f) for f in frames)
        if (want["why"] or "").startswith("lost "):  # in which gap is not in the table
            want["why"] = "lost"
        wrong.update({(n, k): (want[k], have[k]) for k in want if want[k] != have[k]})
    differ("lifetimes one by one", {}, dict(list(wrong.items())[:3]))


def check_tasks(tables, said, _addresses):
    if not said.has_tasks:
        differ("tasks", [], tables.get("task", []))
        return
    tasks = lines("tasks", "--absolute", "--json")
    differ("the number of tasks", len(tasks), len(tables["task"]))
    for want, have in zip(tasks, tables["task"]):
        want = {k: escaped(v) if isinstance(v, str) else v for k, v in want.items() if k not in COUNTERS}
        differ(f"task {want['tid']}", want, {k: have[k] for k in want})


def hidden(args):
    """
    The arguments of a call without its addresses, of which programs have none below 64 KiB, but with the texts
    that they point to.
    """
    words = re.findall(r'(?:"(?:[^"\\]|\\.)*"|\[.*?\]|\{.*?\}|[^,"])+', args)
    return ", ".join("address" if word.startswith("0x") and int(word, 16) >= 65536 or re.match("0x7[0-9]{3}$|0x10$", word)
                     else word for word in map(str.strip, words))


def check_rows(what, expected, found, columns, info):
    differ(f"the number of {what}", len(expected), len(found))
    for n, (want, have) in enumerate(zip(expected, found)):
        want = {k: v for k, v in want.items() if k in have}
        differ(f"columns of {what}", columns, len(want))
        want["minute"] = (want["end_ns"] + shift_of(info)) // MINUTE * 60
        differ(f"{what}, {n}", want, {k: have[k] for k in want})


def check_syscalls(tables, said, addresses):
    if not has_calls(said.info):
        differ("system calls", [], tables.get("syscall", []))
        return
    rows, _ = calls.split(lines("syscalls", "--absolute", "--self", "--json"))
    rows = [dict(row, comm=escaped(row["comm"]), args=calls.args_of(row)) for row in rows]
    for row in rows if not addresses else []:
        row["args"] = hidden(row["args"])
        if row["name"] in ("mmap", "mremap", "brk") and not row["error"]:
            row["result"] = None
    check_rows("system calls", rows, tables.get("syscall", []), 17, said.info)


def check_requests(tables, said, addresses):
    if not has_calls(said.info):
        differ("requests", [], tables.get("request", []))
        return
    _, requests = calls.split(lines("syscalls", "--absolute", "--self", "--json"))
    requests = [calls.request_of(row) for row in requests]
    for row in requests if not addresses else []:
        row["user_data"] = row["user_data"] if int(row["user_data"], 16) < 65536 else None
    check_rows("requests", requests, tables.get("request", []), 17, said.info)


def check_functions(tables, said, addresses):
    info = said.info
    if not any(stream["channel"] == "call" for stream in info["streams"]):
        differ("function calls", [], tables.get("call", []))
        return
    rows = [{k: escaped(v) if isinstance(v, str) else v for k, v in row.items()}
            for row in lines("calls", "--absolute", "--self", "--json")]
    found = tables.get("call", [])
    if not addresses:
        for row in found:
            differ("an address", None, re.search("0x[0-9a-f]{6}", row["args"]))
        rows, found = ([{k: v for k, v in row.items() if k not in ("args", "result", "result_value")} for row in part]
                       for part in (rows, found))
    check_rows("function calls", rows, found, 16 if addresses else 13, info)


SUMS = ("allocations", "bytes", "slack_bytes", "exact", "bounded", "uncertain", "ended_bytes", "before",
        "lifetime_ns", "alive", "alive_bytes", "maybe_alive", "maybe_alive_bytes")


def recorder_of(info):
    return int(info["info"]["recorder_tgid"]) if info["info"].get("recorder_pid_ns") == str(0xeffffffc) else 0


def is_own(row, in_task, info):
    """Of the recorder's tasks, or allocated by the module's code."""
    if recorder_of(info) and in_task and row["birth_tgid"] == recorder_of(info):
        return True
    return any((frame or "").endswith(" [lifetrace]") for frame in [row["birth_site"], *(row.get("birth_stack") or [])])


def shift_of(info):
    """From the clock of a trace to that of the world, if it has both."""
    return info["begin_realtime_ns"] - info["begin_ns"] if info["begin_realtime_ns"] else 0


def by_hand(lifetimes, info, addresses):
    """The sums of site_minute, without cgroups, from the lifetimes one by one."""
    sums, shift = collections.defaultdict(collections.Counter), shift_of(info)
    for row in lifetimes:
        born, context = row["birth_ns"] is not None, row["birth_ctx"]
        size = row["bytes_alloc"] or row["bytes_req"] or 0
        asked = row["bytes_last"] or row["bytes_req"] or 0
        in_task = context == "task"
        key = (space_of(row), escaped(row["cache"]) or "(unknown)", site_text(row["birth_site"], addresses) or "(unknown)",
               escaped(row["birth_comm"]) or "" if in_task else "", context if born else row["death_ctx"],
               int(is_own(row, in_task, info)))
        if born:
            add = sums[((row["birth_ns"] + shift) // MINUTE * 60, *key)]
            add.update(allocations=1, bytes=size, slack_bytes=max(0, size - asked) if asked else 0)
            if row["death_ns"] is None:
                name = "alive" if row["certainty"] == "open" else "maybe_alive"
                add.update({name: 1, name + "_bytes": size})
        if row["death_ns"] is None:
            continue
        add = sums[((row["death_ns"] + shift) // MINUTE * 60, *key)]
        add[row["certainty"] if born else "before"] += 1
        add["ended_bytes"] += size if born else 0
        if row["certainty"] == "exact":
            add.update({"lifetime_ns": row["lifetime_ns"], max(0, row["lifetime_ns"].bit_length() - 1): 1})
    return sums


def check_minutes(tables, said, addresses):
    sums = collections.defaultdict(collections.Counter)
    for row in tables["site_minute"]:
        add = sums[tuple(row[k] for k in ("minute", "space", "cache", "site", "comm", "context", "recorder"))]
        add.update({k: row[k] for k in SUMS})
        add.update(dict(enumerate(row["lifetime_log2"])))
        differ("a function", re.sub(r"\+0x[0-9a-f]+", "", row["site"]), row["function"])
    plain = [{k: {name: n for name, n in v.items() if n} for k, v in table.items()}
             for table in (by_hand(said.lifetimes, said.info, addresses), sums)]
    differ("site_minute", plain[0], plain[1])
    check_report(tables, "cache", "cache", addresses)
    check_report(tables, "site", "site", addresses)
    if said.has_tasks:
        check_report(tables, "cgroup", "cgroup", addresses)


COLUMNS = ("allocations", "bytes", "slack_bytes", "alive", "alive_bytes", "maybe_alive", "maybe_alive_bytes", "exact")


def check_report(tables, by, column, addresses):
    answer = as_recorded(json.loads(run("report", "--json", "--by=" + by)))
    expected, found = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for row in answer["rows"]:
        name = row[by] if by != "cgroup" else row["cgroup_path"] or (row["cgroup"] and f"id:{row['cgroup']}")
        name = site_text(name, addresses) if by == "site" else escaped(name)
        expected[name or "(unknown)"].update({k: row[k] for k in COLUMNS})
    certainty = collections.Counter()
    for row in tables["site_minute"]:
        if row["recorder"]:
            continue
        certainty.update(exact=row["exact"], open=row["alive"], before=row["before"], bounded=row["bounded"],
                         uncertain=row["uncertain"] + row["maybe_alive"])
        if row["space"] == "slab":
            found[row[column] or "(unknown)"].update({k: row[k] for k in COLUMNS})
    differ("report by " + by, {k: v for k, v in expected.items() if any(v.values())},
           {k: v for k, v in found.items() if any(v.values())})
    if len({row["space"] for row in tables["site_minute"]}) == 1:
        differ("certainties", {k: answer[k] for k in ("exact", "open", "before", "bounded", "uncertain")},
               {k: certainty[k] for k in ("exact", "open", "before", "bounded", "uncertain")})


def check_trace(tables, said, _addresses):
    info = said.info
    answer = json.loads(run("report", "--absolute", "--json"))
    (row,) = tables["trace"]
    text = info["info"]
    differ("the trace", {
        "host": text.get("hostname", "unknown"), "kernel": text["kernel_release"], "machine": text["machine"],
        "session": text["session"], "boot_id": text.get("boot_id", ""), "begin_ns": info["begin_ns"],
        "end_ns": info["end_ns"], "trace_bytes": info["bytes"], "complete": int(info["complete"]),
        "begin_unix_ns": info["begin_realtime_ns"] or None, "sample": int(text.get("sample", 1)),
        "records": answer["records"], "lost": answer["lost"], "missed": answer["missed"],
        "filtered": answer["filtered"],
        "not_watched": ",".join(e["name"] for e in info["events"] if not e["watched"])},
        {k: row[k] for k in ("host", "kernel", "machine", "session", "boot_id", "begin_ns", "end_ns", "trace_bytes",
                             "complete", "begin_unix_ns", "sample", "records", "lost", "missed", "filtered",
                             "not_watched")})


CHECKS = {"trace": check_trace, "site_minute": check_minutes, "task": check_tasks, "lifetime": check_lifetimes,
          "syscall": check_syscalls, "request": check_requests, "call": check_functions}


def main():
    unknown = sorted(set(TABLES) ^ set(CHECKS))
    if unknown:
        sys.exit(f"tables that nothing compares, or that the tool lacks: {', '.join(unknown)}")
    said = Trace()
    for addresses in (True, False):
        tables = export(*["--addresses"] * addresses)
        for name in TABLES:
            CHECKS[name](tables, said, addresses)


main()
sys.exit(1 if problems else 0)
