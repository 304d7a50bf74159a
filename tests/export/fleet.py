#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: fleet.py TOOL WORK MODULES

Twenty machines, two recordings of each, in two shards of ClickHouse and in Parquet files: the questions of
share/sql/questions have the same answers in ClickHouse, in DuckDB (in the folder MODULES), and by what lifetrace
says of each trace. One shard is down while half of the rows are loaded. MODULES is - where DuckDB cannot be
installed; ClickHouse is left out where there is none. Prints "N passed, N failed".
"""
import calendar
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(TOP, "tests/vm/compare"))
sys.path.insert(0, os.path.dirname(__file__))
import ltfile  # noqa: E402
from fleet_answers import ANSWERS, DATE, NEW, OLD, Trace  # noqa: E402
from names import table_names  # noqa: E402
from servers import Servers  # noqa: E402

tool, work, modules = sys.argv[1:]
TABLES = ["trace", *table_names(tool)]
passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"fleet: FAILED: {what}:", *details)


# The machines

def clone(source, target, host, kernel, boot, begin):
    """A trace as another machine would have recorded it, from BEGIN on (seconds since 1970)."""
    head, blocks = ltfile.read(source)
    clocks = [b for b in blocks if b.type == ltfile.CLOCK]
    shift = 0
    if clocks:
        shift = begin * 10 ** 9 - int(re.search(rb"realtime=(\d+)", clocks[0].payload)[1])
    for i, block in enumerate(blocks):
        if block.type == ltfile.INFO:
            lines = [line for line in block.payload.split(b"\n")
                     if line and line.split(b"=")[0] not in (b"hostname", b"boot_id", b"kernel_release")]
            lines += [f"{k}={v}".encode() for k, v in (("hostname", host), ("boot_id", boot),
                                                       ("kernel_release", kernel))]
            blocks[i] = block.replace(b"\n".join(lines) + b"\n")
        elif block.type == ltfile.CLOCK:
            blocks[i] = block.replace(re.sub(rb"realtime=(\d+)", lambda m: b"realtime=%d" % (int(m[1]) + shift),
                                             block.payload))
    ltfile.write(target, head, blocks)


def make_machines():
    """The traces, each with its host."""
    traces, golden = [], ("x86_64", "arm64", "s390x", "armhf", "i386", "ppc32")
    first, second = (calendar.timegm(time.strptime(t, "%Y-%m-%d %H")) for t in ("2026-11-20 09", DATE + " 15"))
    for n in range(20):
        host = golden[n] if n < len(golden) else f"node-{n:02d}.example"
        for when, begin in enumerate((first, second)):
            path = os.path.join(work, f"{host}-{when}.lt")
            kernel = NEW if when and n % 2 else OLD
            if n < len(golden):
                begin = first + 7200 * when  # short ones, both of one day
                source = os.path.join(TOP, f"tests/golden/{host}.lt")
            else:
                source = os.path.join(work, "made.lt")
                slower = ["-d", "4"] * (when and n in (8, 13))
                flags = "-" + "k" * (n in (9, 14)) + "l" * (n in (7, 11)) + "m" * (n == 10) + "s" * (n in (6, 15))
                subprocess.run([os.path.join(TOP, "build/user/mkhost"), *slower, *[flags] * (flags != "-"), source,
                                str(100 * n + when), str(30 if n in (9, 14) else 2 + n % 5)], check=True)
            clone(source, path, host, kernel, f"{n:08x}-0000-4000-8000-{when:012x}", begin + 1800 * n)
            traces.append(path)
    return traces


def lifetrace(*words):
    done = subprocess.run([tool, *words], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")


# Questions in SQL

def question(name, engine):
    for path in (f"{name}.sql", f"{name}.{engine}.sql"):
        path = os.path.join(TOP, "share/sql/questions", path)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = re.sub("^--.*\n", "", file.read(), flags=re.M).strip().rstrip(";")
            for token, value in (("@DATE@", DATE), ("@OLD@", OLD), ("@NEW@", NEW)):
                text = text.replace(token, value)
            return text
    raise FileNotFoundError(name)


def number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def equal(expected, found):
    """Whether rows are equal; of numbers twelve digits, since means are of floating point."""
    def close(a, b):
        a, b = number(a), number(b)
        return a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))
    found = [row[:len(expected[0])] for row in found] if expected else found
    return len(expected) == len(found) and all(
        len(a) == len(b) and all(close(x, y) for x, y in zip(a, b)) for a, b in zip(expected, found))


def compare(engine, answers, rows):
    for name, found in rows.items():
        expected = answers[name]
        wrong = [n for n, row in enumerate(expected) if not equal([row], found[n:n + 1])][:1] or [0]
        check(f"{engine}: {name}.sql", expected and equal(expected, found), f"\n  expected {len(expected)} rows,",
              f"{expected[wrong[0]:wrong[0] + 3]}\n  found    {len(found)} rows, {found[wrong[0]:wrong[0] + 3]}")


def statements(name):
    with open(os.path.join(TOP, "share/sql/duckdb", name), encoding="utf-8") as file:
        return [s for s in re.sub("^--.*", "", file.read(), flags=re.M).split(";") if s.strip()]


def duckdb(texts):
    """The rows of each of some statements."""
    done = subprocess.run(["node", os.path.join(TOP, "tests/export/duckdb/query.mjs"), modules], text=True,
                          input=json.dumps(texts), capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"DuckDB: {done.stderr}")
    return [[list(row.values()) for row in rows] for rows in json.loads(done.stdout)]


def parquet(lake, answers):
    names, sizes = [a.__name__ for a in ANSWERS], []
    begin = [f"SET VARIABLE lake = '{lake}'", *statements("views.sql"), *statements("task.sql"), *statements("syscall.sql")]
    questions = [question(name, "duckdb") for name in names]
    compare("DuckDB", answers, dict(zip(names, duckdb(begin + questions)[-len(names):])))
    # One file for each host and day, instead of one for each recording.
    target = lake + ".day"
    os.makedirs(target)
    texts = begin + [f"SET VARIABLE target = '{target}'"]
    for path in sorted(glob.glob(f"{lake}/*/date=*")):
        name, day = path.split("/")[-2:]
        texts += [f"SET VARIABLE name = '{name}'", f"SET VARIABLE day = '{day.removeprefix('date=')}'",
                  *statements("compact.sql")]
    texts += [f"SET VARIABLE lake = '{target}'", *statements("views.sql"), *statements("task.sql"), *statements("syscall.sql"), *questions]
    compare("DuckDB, of the files of days", answers, dict(zip(names, duckdb(texts)[-len(names):])))
    for path in (lake, target):
        sizes.append([os.path.getsize(p) for t in TABLES for p in glob.glob(f"{path}/{t}/*/*/*.parquet")])
    check("the files of days are not fewer", len(sizes[1]) < len(sizes[0]))
    print(f"fleet: DuckDB: {len(sizes[0])} files, {sum(sizes[0])} bytes; of days {len(sizes[1])} files, "
          f"{sum(sizes[1])} bytes")


def sql(name):
    with open(os.path.join(TOP, "share/sql/clickhouse", name), encoding="utf-8") as file:
        return file.read()


def make_tables(servers):
    for shard in range(2):
        for database, text in (("lifetrace_shard", "tables.sql"), ("lifetrace", "distributed.sql")):
            servers.run(f"CREATE DATABASE {database}", shard, "default")
            servers.run(sql(text), shard, database)


def load(servers, lake):
    """Loads all files by the first shard; the second one is down for half of them. Returns their rows and bytes."""
    files = [(t, path) for t in TABLES for path in sorted(glob.glob(f"{lake}/{t}/*/*/*.tsv"))]
    rows, size = dict.fromkeys(TABLES, 0), 0
    for n, (name, path) in enumerate(files):
        if n == len(files) // 2:
            servers.stop(1)
        servers.load(name, path)
        size += os.path.getsize(path)
        with open(path, "rb") as file:
            rows[name] += sum(1 for _ in file)
    own = {t: int(servers.query(f"SELECT count() FROM lifetrace_shard.{t}")[0][0]) for t in TABLES}
    check("the shard that was down missed nothing", any(own[t] < rows[t] for t in TABLES))
    servers.start(1)
    for _ in range(300):
        found = {t: int(servers.query(f"SELECT count() FROM {t}")[0][0]) for t in TABLES}
        if found == rows:
            break
        time.sleep(0.2)
    check("rows are lost, or twice there", found == rows, rows, found)
    for shard in range(2):
        check(f"the shard {shard} has no row", int(servers.query("SELECT count() FROM lifetrace_shard.site_minute",
                                                                 shard)[0][0]))
    return rows, size


def retention(servers):
    """A day that is dropped on each shard is gone, and nothing else."""
    days = {row[0]: int(row[1]) for row in servers.query("SELECT date, count() FROM site_minute GROUP BY date")}
    oldest = min(days)
    for shard in range(2):
        servers.run(f"OPTIMIZE TABLE site_minute PARTITION '{oldest}' FINAL;"
                    f"ALTER TABLE site_minute DROP PARTITION '{oldest}'", shard, "lifetrace_shard")
    left = {row[0]: int(row[1]) for row in servers.query("SELECT date, count() FROM site_minute GROUP BY date")}
    check("a dropped day is not gone, or more than it is", left == {d: n for d, n in days.items() if d != oldest},
          days, left)


def dashboard(servers, traces, answers):
    """Each query of the dashboard has rows; figures that the other answers have are theirs."""
    with open(os.path.join(TOP, "share/grafana/lifetrace.json"), encoding="utf-8") as file:
        board = json.load(file)
    hosts = ",".join(f"'{host}'" for host in sorted({t.host for t in traces}))
    rows = {}
    for panel in board["panels"] + [v for v in board["templating"]["list"] if v["type"] == "query"]:
        text = panel["targets"][0]["rawSql"] if "targets" in panel else panel["query"]
        for token, value in (("$__fromTime", "toDateTime(1)"), ("$__toTime", "toDateTime(4000000000)"),
                             ("$__interval_s", "600"), ("${host:singlequote}", hosts)):
            text = text.replace(token, value)
        name = panel.get("title", panel.get("name"))
        rows[name] = servers.query(text, 1)
        check(f"the dashboard has no rows: {name}", "$" not in text and rows[name])
    check("the dashboard: machines", rows["Machines"] == [["20"]], rows["Machines"])
    check("the dashboard: machines to choose", len(rows["host"]) == 20, rows["host"])
    check("the dashboard: lost", equal([[sum(row[1] for row in answers["loss"])]], rows["Lost events"]))
    check("the dashboard: events", equal([[sum(t.report["records"] for t in traces)]], rows["Events"]))
    check("the dashboard: recorded", equal([[sum(t.seconds for t in traces)]], rows["Recorded"]))
    check("the dashboard: functions", equal(answers["growth"], rows["Functions that hold most"][:20]))
    check("the dashboard: recordings", len(rows["Recordings"]) == len(traces))
    births = sum(len([1 for row in t.slab if row["birth_ns"] is not None]) for t in traces)
    check("the dashboard: allocations", equal([[births]], [[600 * sum(r[2] for r in rows["Allocations, by machine"])]]))


def planted(answers):
    """The answers say what the machines were made with."""
    hosts = {name: [row[0] for row in answers[name]] for name in ("dentry", "loss")}
    check("dentries live longer since the date on two hosts", hosts["dentry"] == ["node-08.example", "node-13.example"],
          hosts["dentry"])
    check("two hosts lost events", sorted(hosts["loss"]) == ["node-07.example", "node-11.example"], hosts["loss"])
    check("one function does not free", answers["growth"][0][0] == "leaky_probe", answers["growth"][:2])
    check("one host does not watch an event", answers["watched"] == [(OLD, "node-10.example", "bulk_free")],
          answers["watched"])
    check("two hosts make system calls", [row[0] for row in answers["syscalls"]] == ["openat", "close"] and
          answers["syscalls"][0][4] == 2 and 0 < answers["syscalls"][0][2] < answers["syscalls"][0][1],
          answers["syscalls"])
    check("something is older than a day on two hosts", answers["old"][0][3] == 2, answers["old"][:2])


def clickhouse(lake, traces, answers):
    with Servers(work, 2) as servers:
        make_tables(servers)
        start = time.monotonic()
        rows, size = load(servers, lake)
        took = time.monotonic() - start
        for shard in range(2):
            compare(f"ClickHouse, asked at shard {shard}", answers,
                    {a.__name__: servers.query(question(a.__name__, "clickhouse"), shard) for a in ANSWERS})
        dashboard(servers, traces, answers)
        retention(servers)
    print(f"fleet: ClickHouse: rows {rows}, {size} bytes of text; loaded in {took:.1f} s")


def main():
    begin = time.monotonic()
    paths = make_machines()
    traces = [Trace(tool, path) for path in paths]
    check("there are not twenty machines", len({t.host for t in traces}) == 20)
    answers = {a.__name__: a(traces) for a in ANSWERS}
    planted(answers)
    for name, there in (("parquet", modules != "-"), ("clickhouse", shutil.which("clickhouse-server"))):
        if not there:
            continue
        lake = os.path.join(work, name)
        for path in paths:
            lifetrace("export", f"--format={name}", f"--tables={','.join(TABLES[1:])}", "-o", lake, path)
        if name == "parquet":
            parquet(lake, answers)
        else:
            clickhouse(lake, traces, answers)
    print(f"fleet: {len(paths)} traces of 20 machines; {time.monotonic() - begin:.0f} s in all")
    print(f"fleet: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
