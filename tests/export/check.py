#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: check.py FORMAT TOOL TRACE WORK [FOLDER]

Whether an export of a profile has the figures of `lifetimes --json` and `report --json`: each
number of each path, and nothing else. FORMAT is collapsed; dhat; flamegraph; heaptrack, which heaptrack_print
reads; perfetto, which trace_processor reads if FOLDER has it; pprof, which `go tool pprof` does; sql, of which the
program sqlite3 makes a database; or sqlite, which it reads. Prints the differences.
"""
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
from xml.etree import ElementTree

import calls
import perfettofile
from differ import differences
from heaptrackfile import Heaptrack, heaptrack_print
from recorded import as_recorded

format_, tool, trace, work = sys.argv[1:5]
METRICS = {"alive": "alive_bytes", "alive-objects": "alive", "peak": "peak_bytes", "churn": "allocations",
           "bytes": "bytes", "slack": "slack_bytes"}
problems = 0


def differ(what, expected, found):
    """Prints how two tables differ."""
    global problems
    n, lines_ = differences(what, expected, found)
    for line in lines_:
        print(f"{trace}: {line}")
    problems += n


def run(*words, status=0):
    done = subprocess.run([tool, *words], capture_output=True, check=False)
    if done.returncode != status:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def lines(*words):
    return [json.loads(line) for line in run(*words, "--absolute", "--json", trace).decode().splitlines()]


def rows(*words):
    return as_recorded(json.loads(run("report", "--json", *words, trace)))["rows"]


def escaped(text, also=""):
    """A text of our JSON as profiles have it: JSON has a bad byte as \\xHH, a backslash as two."""
    text = re.sub(r"\\(\\|x[0-9a-f]{2})", lambda m: r"\x5c" if m[1] == "\\" else m[0], text)
    out = ""
    for i, char in enumerate(text):
        code = ord(char)
        mine = char == "\\" and re.match(r"\\x[0-9a-f]{2}", text[i:])
        if code < 32 or 127 <= code < 160 or char in also or (char == "\\" and not mine):
            out += "".join(f"\\x{byte:02x}" for byte in char.encode())
        else:
            out += char
    return out


def plain(function):
    """A function without its offset, but with its module."""
    return re.sub(r"\+0x[0-9a-f]+", "", function)


def frames(row, also):
    """The path of a row of our JSON, the outermost first. Without a stack it is the call site."""
    function = row["stack"] or [row["site"] or "(unknown)"]
    cut = function[-1] == "..."
    callers = function[1:-1] if cut else function[1:]
    path = [escaped(plain(f), also) for f in reversed(callers)] + [escaped(function[0], also)]
    return ["(further callers)"] * cut + path


class Lifetimes:
    """The lifetimes whose birth was seen, one by one."""

    def __init__(self):
        self.all = [row for row in map(json.loads, run("lifetimes", "--absolute", "--json", trace).decode().splitlines())
                    if row["birth_ns"] is not None and not row["kind"].startswith("page")
                    and row["kind"] not in ("percpu", "vmalloc", "dma")]

    @staticmethod
    def key(row, also):
        context = row["birth_ctx"]
        task = f"interrupt {context}" if context != "task" else \
            "task " + escaped(row["birth_comm"] or "(unknown)", also)
        cache = "cache " + escaped(row["cache"] or "(unknown)", also)
        return task, cache, escaped(row["birth_site"] or "(unknown)", also)

    def table(self, also):
        """By task, cache and site: exact, allocations, bytes, alive, alive bytes, ns, slack."""
        sums = collections.defaultdict(lambda: [0] * 7)
        for row in self.all:
            given = row["bytes_alloc"] or row["bytes_req"] or 0
            asked = row["bytes_last"] or row["bytes_req"] or 0
            exact, is_open = row["certainty"] == "exact", row["certainty"] == "open"
            add = (exact, 1, given, is_open, given * is_open, row["lifetime_ns"] if exact else 0,
                   given - asked if asked and given > asked else 0)
            sums[self.key(row, also)] = [a + b for a, b in zip(sums[self.key(row, also)], add)]
        return sums

    def alive_at(self, when, also):
        sums = collections.Counter()
        for row in self.all:
            dead = row["certainty"] not in ("open",) and row["death_ns"] is not None and row["death_ns"] <= when
            if row["birth_ns"] <= when and not dead:
                sums[self.key(row, also)] += row["bytes_alloc"] or row["bytes_req"] or 0
        return sums


def collapsed(*words):
    """The lines as a table; the number is what follows the last blank."""
    table = collections.Counter()
    for line in run("export", "--format=collapsed", "-o", "-", *words, trace).decode().splitlines():
        path, number = line.rsplit(" ", 1)
        table[tuple(path.split(";"))] += int(number)
    return table


def has_stacks():
    info = json.loads(run("info", "--absolute", "--json", trace))["info"]
    return info.get("stacks", "0") != "0"


def has_channel(name):
    """Whether a channel is there. The text of INFO says what was asked for, and may be older."""
    return any(s["channel"] == name for s in json.loads(run("info", "--absolute", "--json", trace))["streams"])


def report_stacks(column, also):
    table = collections.Counter()
    for row in rows("--by=stack"):
        table[tuple(frames(row, also))] += row[column]
    return table


def check_collapsed():
    life = Lifetimes()
    levels = "--levels=task,cache,site"
    for metric, column in (("churn", 1), ("bytes", 2), ("alive-objects", 3), ("alive", 4), ("lifetime", 5),
                           ("slack", 6)):
        differ(f"{metric} of lifetimes", {k: v[column] for k, v in life.table(";").items()},
               collapsed("--self", levels, f"--metric={metric}"))
    for metric, column in METRICS.items():
        expected = {("cache " + escaped(r["cache"] or "(unknown)", ";"),): r[column] for r in rows("--by=cache")}
        differ(f"{metric} by cache", expected, collapsed("--levels=cache", f"--metric={metric}"))
        sites = collections.Counter()
        for row in rows():
            sites[(escaped(row["site"] or "(unknown)", ";"),)] += row[column]
        differ(f"{metric} by site", sites, collapsed("--levels=site", f"--metric={metric}"))
        for level in ["module,task"] + ["cgroup"] * has_channel("pid"):
            try_total(level, metric, sum(sites.values()))
        if has_stacks():
            differ(f"{metric} by stack", report_stacks(column, ";"),
                   collapsed("--levels=stack", f"--metric={metric}"))
    check_instant(life)


def try_total(level, metric, expected):
    found = sum(collapsed(f"--levels={level}", f"--metric={metric}").values())
    differ(f"{metric} by {level}, in all", {"": expected}, {"": found})


def check_instant(life):
    """What is alive at a marker, and at a birth, by the births and deaths of lifetimes."""
    if any(row["certainty"] not in ("exact", "open") for row in life.all):
        return
    births = sorted(row["birth_ns"] for row in life.all)
    when = births[len(births) // 2]
    differ("alive at a time", life.alive_at(when, ";"),
           collapsed("--self", "--levels=task,cache,site", f"--at=@{when}ns"))
    markers = [row for row in map(json.loads, run("dump", "--absolute", "--json", "-e", "marker", trace).decode().splitlines())]
    for row in markers[:1]:
        differ("alive at a marker", life.alive_at(row["time"], ";"),
               collapsed("--self", "--levels=task,cache,site", "--at=marker:" + row["text"]))


def pprof(*words):
    """The samples as `go tool pprof -raw` prints them: by labels and functions, six numbers."""
    path = os.path.join(work, "profile.pb")
    run("export", "--format=pprof", "-o", path, *words, trace)
    env = dict(os.environ, HOME=work, PPROF_TMPDIR=work)
    raw = subprocess.run(["go", "tool", "pprof", "-raw", path], capture_output=True, check=True, env=env)
    text = raw.stdout.decode()
    samples, locations = text.split("Samples:\n")[1].split("Locations\n")
    locations = locations.split("Mappings\n")[0]
    name = {int(m[1]): (m[2], int(m[3], 16)) for m in
            ((re.match(r" *(\d+): 0x([0-9a-f]+) M=1 (.*) :0 s=0(?:\(\))?$", line)) for line in locations.splitlines())
            if m for m in [(None, m[1], m[3], m[2])]}
    table = collections.defaultdict(lambda: (0,) * 6)
    lines = samples.splitlines()
    for i, line in enumerate(lines):
        m = re.match(r"((?: *\d+){6}): ([\d ]*)$", line)
        if not m:
            continue
        labels = lines[i + 1].strip() if i + 1 < len(lines) and lines[i + 1].startswith("  " * 8) else ""
        path = tuple(name[int(n)] for n in reversed(m[2].split()))
        key = labels, path
        table[key] = tuple(a + int(b) for a, b in zip(table[key], m[1].split()))
    return table, text


def label_text(task, cache):
    kind, name = task.split(" ", 1)
    labels = {"comm" if kind == "task" else "interrupt": name, "cache": cache.split(" ", 1)[1]}
    return " ".join(f"{key}:[{labels[key]}]" for key in sorted(labels))


def check_pprof():
    expected = {}
    for (task, cache, site), sums in Lifetimes().table("").items():
        function = re.match(r"(.*)\+0x([0-9a-f]+)( \[.*\])?$", site)
        frame = (function[1] + (function[3] or ""), int(function[2], 16)) if function else (site, 0)
        key = label_text(task, cache), (frame,)
        expected[key] = tuple(a + b for a, b in zip(expected.get(key, (0,) * 6), sums[:6]))
    found, text = pprof("--self", "--levels=task,cache,site")
    differ("samples", expected, found)
    differ("comments", {"": True}, {"": "Comment: How sure: of" in text or "no lifetime" in text})
    total = collections.Counter()
    for values in pprof("--at=peak")[0].values():
        total["bytes"] += values[4]
        total["objects"] += values[3]
    peak = collections.Counter()
    for row in rows("--by=stack") if has_stacks() else rows():
        peak["bytes"] += row["peak_bytes"]
        peak["objects"] += row["peak_alive"]
    differ("the peak", peak, total)
    if has_stacks():
        expected = collections.Counter()
        for row in rows("--by=stack"):
            expected[tuple(plain(f) for f in frames(row, ""))] += row["alive_bytes"]
        stacks = collections.Counter()
        for (_, path), values in pprof("--levels=stack")[0].items():
            stacks[tuple(name for name, _ in path)] += values[4]
        differ("stacks", expected, stacks)


POINT = ("tbk", "tb", "tl", "ebk", "eb", "mbk", "mb", "gbk", "gb")


def dhat(*words):
    """The program points by path, from the root to the leaf, after what dh_view.js checks."""
    file = json.loads(run("export", "--format=dhat", "-o", "-", *words, trace))
    names, points = file["ftbl"], file["pps"]
    ns = {"ns": 1, "us": 1000, "ms": 10 ** 6}[file["tu"]]
    assert file["dhatFileVersion"] == 2 and file["bklt"] is True and file["bkacc"] is False
    assert names[0] == "[root]" and len(set(names)) == len(names)
    assert 0 <= file["tg"] <= file["te"] < 2 ** 53 and file["tuth"] == 10 ** 6 // ns
    assert all(0 < n < len(names) for point in points for n in point["fs"])
    assert len({tuple(point["fs"]) for point in points}) == len(points)
    assert all(0 <= point[f] < 2 ** 53 for point in points for f in POINT)
    assert all(point["mb"] >= max(point["eb"], point["gb"]) for point in points)
    differ("the mode", {"": True}, {"": file["mode"].startswith(("How sure: of", "How sure: no lifetime"))})
    return {tuple(names[n] for n in reversed(p["fs"])): tuple(p[f] for f in POINT) for p in points}, ns


def most(rows_):
    """The most bytes that were alive at once, and how many objects they were then."""
    steps = sorted(step for row in rows_ for size in [row["bytes_alloc"] or row["bytes_req"] or 0]
                   for step in [(row["birth_ns"], 1, size)] +
                   [(row["death_ns"], -1, -size)] * (row["certainty"] == "exact"))
    bytes_ = objects = 0
    best = 0, 0
    for _, n, size in steps:
        bytes_, objects = bytes_ + size, objects + n
        if bytes_ > best[0]:
            best = bytes_, objects
    return best


def check_dhat():
    life = Lifetimes()
    table, paths = life.table(""), collections.defaultdict(list)
    for row in life.all:
        paths[life.key(row, "")].append(row)
    found, ns = dhat("--self", "--levels=task,cache,site")
    for path, rows_ in paths.items():
        ages = sum(row["lifetime_ns"] for row in rows_ if row["certainty"] == "open")
        exact = table[path]
        table[path] = (*exact[1:3], (exact[5] + ages) // ns, *exact[3:5])
    differ("program points", table, {path: values[:5] for path, values in found.items()})
    if all(row["certainty"] in ("exact", "open") for row in life.all):
        for path, rows_ in paths.items():
            bytes_, objects = most(rows_)
            differ(f"the maximum of {path}", {"": (objects, bytes_)}, {"": found[path][5:7]})
    for by, words in [(["cache"], "--by=cache")] + [(["stack"], "--by=stack")] * has_stacks():
        expected = collections.Counter()
        for row in rows(words):
            path = ("cache " + escaped(row["cache"] or "(unknown)"),) if by == ["cache"] else \
                tuple(plain(f) for f in frames(row, ""))
            for column in ("allocations", "bytes", "alive", "alive_bytes", "peak_alive", "peak_bytes"):
                expected[path, column] += row[column]
        points = collections.Counter()
        for path, v in dhat("--levels=" + by[0])[0].items():
            path = tuple(plain(f) for f in path) if by == ["stack"] else path
            for column, value in zip(("allocations", "bytes", "alive", "alive_bytes", "peak_alive", "peak_bytes"),
                                     (v[0], v[1], v[3], v[4], v[7], v[8])):
                points[path, column] += value
        differ(f"points by {by[0]}", expected, points)


def check_heaptrack():
    path = os.path.join(work, "export.heaptrack")
    run("export", "--format=heaptrack", "-o", path, "--self", "--levels=task,cache,site", trace)
    file = Heaptrack(path)
    table = Lifetimes().table(";")
    differ("the file", {k: tuple(v[1:5]) for k, v in table.items()}, file.table())
    differ("leaked", {k: v[4] for k, v in table.items()}, heaptrack_print(path, "leaked", work))
    differ("the notes", {"": True}, {"": "How sure: of" in file.notes or "no lifetime" in file.notes})
    by, words = ("--levels=stack", "--by=stack") if has_stacks() else ("--levels=site", "--by=site")
    run("export", "--format=heaptrack", "-o", path, by, trace)
    expected = collections.defaultdict(collections.Counter)
    for row in rows(words):
        stack = tuple(frames(row, ";")) if has_stacks() else (escaped(row["site"] or "(unknown)", ";"),)
        for column in ("allocations", "peak_bytes"):
            expected[column][stack] += row[column]
    differ("allocations by stack", expected["allocations"], heaptrack_print(path, "allocations", work))
    if not is_sampled():  # the births of a sample stand for others, and the peak of these is another one
        differ("the peak by stack", expected["peak_bytes"], heaptrack_print(path, "peak", work))
        differ("the peak", {"": sum(expected["peak_bytes"].values())}, {"": Heaptrack(path).peak})


SVG = "{http://www.w3.org/2000/svg}"


def flame_nodes(group, above, nodes):
    """The frames of a flame graph by path, with their numbers; where they are is checked, too."""
    title, rect = group.find(SVG + "title").text.split("\n"), group.find(SVG + "rect").attrib
    value, x, width = int(group.get("data-v")), float(rect["x"]), float(rect["width"])
    path = above + (title[0],) if above is not None else ()
    assert path not in nodes and group.get("class") == "n"
    assert int(title[1].split(" ")[0].replace(",", "")) == value
    nodes[path] = value, x, width, float(rect["y"])
    right = x
    for child in group.findall(SVG + "g"):
        below = flame_nodes(child, path, nodes)
        assert below[1] >= right - 0.002 and below[3] == nodes[path][3] + 17
        assert abs(below[2] - width * below[0] / value) < 0.01
        right = below[1] + below[2]
    assert right <= x + width + 0.002
    return nodes[path]


def flamegraph(*words):
    """The frames of a flame graph, which asks for nothing from elsewhere."""
    text = run("export", "--format=flamegraph", "-o", "-", *words, trace).decode()
    rest = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    asks = re.search(r"(href|src|\bon[a-z]+)\s*=\s*[\"']|url\(|@import|https?:|fetch|XMLHttp", rest)
    differ("what asks for something", {"": "nothing"}, {"": asks[0] if asks else "nothing"})
    svg, nodes = ElementTree.fromstring(text), {}
    differ("the notes", {"": True}, {"": "How sure: of" in text or "no lifetime" in text})
    flame_nodes(svg.find(SVG + "g"), None, nodes)
    return {path: node[0] for path, node in nodes.items()}


def inclusive(table):
    """The number of each frame that is drawn: that of all paths through it."""
    sums = collections.Counter({(): 0})
    for path, number in table.items():
        for n in range(len(path) + 1):
            sums[path[:n]] += number
    return {path: n for path, n in sums.items() if n >= max(1, sums[()] // 11800)}


def check_flamegraph():
    table = Lifetimes().table("")
    for metric, column in (("alive", 4), ("slack", 6)):
        differ(f"{metric} of lifetimes", inclusive({k: v[column] for k, v in table.items()}),
               flamegraph("--self", "--levels=task,cache,site", f"--metric={metric}"))
    for metric in ("churn", "peak"):
        if has_stacks():
            expected = report_stacks(METRICS[metric], "")
        else:
            expected = {("cache " + escaped(r["cache"] or "(unknown)"),): r[METRICS[metric]] for r in rows("--by=cache")}
        differ(f"{metric} by {'stack' if has_stacks() else 'cache'}", inclusive(expected),
               flamegraph("--levels=stack" if has_stacks() else "--levels=cache", f"--metric={metric}"))


def from_sql(path):
    """The database that the program sqlite3 makes of an export."""
    sql = run("export", "--format=sql", "--addresses", "-o", "-", trace)
    done = subprocess.run(["sqlite3", "-bail", path], input=sql, capture_output=True, check=True)
    differ("what sqlite3 says", {"": b"nothing"}, {"": done.stdout + done.stderr or b"nothing"})
    assert sql.startswith(b"PRAGMA synchronous=OFF;\nBEGIN;\n") and sql.endswith(b"COMMIT;\n")


def dump(path):
    """All rows of all tables and views, by sqlite3."""
    return subprocess.run(["sqlite3", path, ".dump"], capture_output=True, check=True).stdout


def database():
    path = os.path.join(work, "export.db")
    if os.path.exists(path):
        os.unlink(path)
    if format_ == "sql":
        from_sql(path)
    else:
        run("export", "--format=sqlite", "--addresses", "-o", path, trace)
        from_sql(path + ".sql")
        differ("the database and that of the text", {"": dump(path + ".sql")}, {"": dump(path)})
        os.unlink(path + ".sql")
    done = subprocess.run(["sqlite3", path, "PRAGMA integrity_check; PRAGMA foreign_key_check"], capture_output=True,
                          check=True)
    differ("the database", {"": b"ok\n"}, {"": done.stdout})
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    return db


def check_sql():
    check_sqlite()


def check_sqlite():
    db = database()
    expected = [json.loads(line) for line in run("lifetimes", "--absolute", "--json", trace).decode().splitlines()]
    stacks = {row["id"]: row["frames"] for row in db.execute("SELECT * FROM stack")}
    found = [dict(row) for row in db.execute("SELECT * FROM lifetimes ORDER BY id")]
    differ("lifetimes", {"": len(expected)}, {"": len(found)})
    wrong = {}
    for n, (want, have) in enumerate(zip(expected, found)):
        for stack in ("birth_stack", "death_stack"):
            have[stack] = have[stack] and stacks[have[stack]]
            want[stack] = want.get(stack) and " < ".join(map(escaped, want[stack]))
        for key in ("cache", "gfp", "birth_site", "birth_comm", "death_site", "death_comm"):
            want[key] = want[key] and escaped(want[key])
        if (want["why"] or "").startswith("lost on"):  # in which gap is not in the table
            want["why"] = "lost"
        wrong.update(((n, k), (want[k], have[k])) for k in want
                     if k not in ("address", "rcu_request_ns") and want[k] != have[k])
    differ("lifetimes one by one", {"": "equal"}, {"": dict(list(wrong.items())[:3]) or "equal"})
    columns = ("allocations", "bytes", "slack_bytes", "alive", "alive_bytes", "exact")
    for view, key in (("by_cache", "cache"), ("by_site", "site")):
        expected, found = {}, {}
        for table, source in ((expected, rows("--by=" + key)),
                              (found, map(dict, db.execute(f"SELECT * FROM {view} WHERE space = 'slab'")))):
            for row in source:
                name = row[key] if table is found or row[key] is None else escaped(row[key])
                table[name] = tuple(a + row[c] for a, c in zip(table.get(name, (0,) * 6), columns))
        differ(view, expected, found)
    info = json.loads(run("info", "--absolute", "--json", trace))["info"]
    texts = {row["key"]: row["value"] for row in db.execute("SELECT * FROM trace")}
    differ("the trace", {k: escaped(v) for k, v in info.items() if not k.endswith("_base")},
           {k: v for k, v in texts.items() if not k.startswith("lifetrace.")})
    total = db.execute("SELECT sum(allocations) FROM by_task").fetchone()[0]
    counted = db.execute("SELECT count(*) FROM lifetimes WHERE birth_ctx = 'task' AND NOT recorder").fetchone()[0]
    differ("by_task", {"": total or 0}, {"": counted})
    if has_channel("syscall"):
        for words in calls.of_database(db, *calls.split(lines("syscalls", "--self"))):
            differ(*words)
    db.close()


def perfetto(*words):
    path = os.path.join(work, "export.perfetto")
    run("export", "--format=perfetto", "--addresses", "-o", path, *words, trace)
    file = perfettofile.read_processor(path, sys.argv[5]) if len(sys.argv) > 5 else perfettofile.read_raw(path)
    differ("errors", {"": "none"}, {"": file.errors or "none"})
    return file


def check_counters(file):
    """The counters: what each cache has at the end, and the peak of all of them."""
    expected, found = collections.Counter(), collections.Counter()
    for row in rows("--by=cache"):
        expected[escaped(row["cache"] or "(unknown)")] += row["alive_bytes"]
    counters = dict(file.counters)
    for name, points in file.counters:
        found[name] += points[-1][1]
    total, objects = found.pop("Bytes alive"), found.pop("Objects alive")
    report = as_recorded(json.loads(run("report", "--absolute", "--json", trace)))
    differ("alive by cache", expected, found)
    differ("alive", {"bytes": sum(expected.values()), "objects": sum(r["alive"] for r in report["rows"])},
           {"bytes": total, "objects": objects})
    peak = max(value for _, value in counters["Bytes alive"])
    differ("the peak", {"bytes": report["peak_bytes"], "time": report["peak_bytes"] and report["peak_ns"]},
           {"bytes": peak, "time": peak and next(time for time, value in counters["Bytes alive"] if value == peak)})
    return report


def check_points(life, file):
    """A point of a counter is what was alive then."""
    if any(row["certainty"] not in ("exact", "open") for row in life.all):
        return
    points = dict(file.counters)["Bytes alive"]
    for time, value in points[1:-1:max(1, len(points) // 5)]:
        differ(f"alive at @{time}", {"": sum(life.alive_at(time, "").values())}, {"": value})


def check_slices(life, file):
    """The longest lifetimes of each cache, each once."""
    found, expected = collections.defaultdict(list), collections.defaultdict(list)
    for cache, name, time, duration, notes in file.slices:
        found[cache, duration is None].append((time, duration, name, notes["bytes"], notes["certainty"],
                                               notes.get("site", "(unknown)")))
    for row in life.all:
        alive = row["ended_by"] == "alive"
        site = escaped(row["birth_site"] or "(unknown)")
        expected[escaped(row["cache"] or "(unknown)"), alive].append(
            (row["birth_ns"], None if alive else row["death_ns"] - row["birth_ns"],
             plain(site) if row["birth_site"] else "(unknown site)", row["bytes_alloc"] or row["bytes_req"] or 0,
             row["certainty"], site))
    end = json.loads(run("report", "--absolute", "--json", trace))["end_ns"]
    for key, all_ in expected.items():
        length = collections.Counter(end - row[0] if row[1] is None else row[1] for row in all_)
        most = sorted(length.elements(), reverse=True)[:100]
        differ(f"lengths of {key}", collections.Counter(most),
               collections.Counter(end - row[0] if row[1] is None else row[1] for row in found[key]))
        left = collections.Counter(found[key])
        left.subtract(all_)
        differ(f"slices of {key}", {"": "none"}, {"": [row for row, n in left.items() if n > 0] or "none"})
    differ("caches of slices", {"": set(expected)}, {"": set(found)})


def check_tasks(file):
    """Every task once, in the process that it was in, though others had its number, too."""
    expected, found = collections.Counter(), collections.Counter()
    tasks = [json.loads(line) for line in run("tasks", "--absolute", "--json", trace).decode().splitlines()] if has_channel("pid") else []
    lives = {(t["tid"], t["start_ns"]): t for t in tasks}
    for t in tasks:
        leader = lives.get((t["leader_tid"], t["leader_start_ns"])) if t["tgid"] not in (None, t["tid"]) else t
        if not t["tid"] or not leader:
            continue
        name, of = (escaped(x["comm"] or "") or "(unknown)" for x in (t, leader))
        duration = None if t["end_ns"] is None else t["end_ns"] - (t["birth_ns"] or 0)
        expected[t["tgid"] or t["tid"], of, leader["birth_ns"], t["tid"], name, t["birth_ns"],
                 duration if t["birth_ns"] else t["end_ns"], t["birth_certainty"], t["end_certainty"]] += 1
    leaders = {(f[3], f[2]): f for f in file.tasks}
    for pid, process, start, tid, name, time, duration, notes in file.tasks:
        end, births = notes["certainty of the end"], notes["certainty of the birth"]
        known = births != "before"
        leader = leaders.get((pid, start))
        started = start if leader and leader[7]["certainty of the birth"] != "before" else None
        assert leader and leader[5] == start and time >= start
        ended = None if duration is None or end == "open" else time + duration
        found[pid, process, started, tid, name, time if known else None,
              duration if known else ended, births, end] += 1
    differ("tasks" if tasks else "may be empty", expected, found)


def check_perfetto():
    life, words = Lifetimes(), ("--self", "--levels=task,cache,site")
    file, table = perfetto(*words), life.table("")
    check_tasks(file)
    begin, tasks = json.loads(run("info", "--absolute", "--json", trace))["begin_ns"], lines("tasks") if has_channel("pid") else []
    if has_channel("syscall"):
        for words in calls.of_perfetto(file, begin, tasks, *calls.split(lines("syscalls", "--self"))):
            differ(*words)
    if has_channel("call"):
        for words in calls.functions_of_perfetto(file, tasks, lines("calls", "--self")):
            differ(*words)
    if not life.all:
        memory = file.heap or file.slices or [value for _, points in file.counters for _, value in points if value]
        differ("the memory", {"": "none"}, {"": memory or "none"})
        return
    differ("the heap at the end", {k: (v[3], v[4]) for k, v in table.items()}, file.alive())
    if len(sys.argv) < 6:  # the tables of trace_processor have differences of two dumps
        differ("the heap's allocations", {k: (v[1], v[2]) for k, v in table.items()}, file.births())
    check_points(life, file)
    check_slices(life, file)
    differ("the notes", {"": True}, {"": "How sure: of" in file.about or "no lifetime" in file.about})
    markers = [json.loads(line) for line in run("dump", "--absolute", "--json", "-e", "marker", trace).decode().splitlines()]
    differ("markers" if markers else "may be empty", {(m["time"], escaped(m["text"])): 1 for m in markers},
           collections.Counter(file.markers))
    file = perfetto(*(["--levels=stack"] if has_stacks() else []))
    report = check_counters(file)
    differ("gaps", {"": "gaps" if report["lost"] else "none"}, {"": "gaps" if file.gaps else "none"})
    if has_stacks() and not is_sampled():
        expected = collections.Counter()
        for row in rows("--by=stack"):
            expected[tuple(plain(f) for f in frames(row, ""))] += row["peak_bytes"]
        found = collections.Counter()
        for path, (_, size) in file.alive(report["peak_ns"]).items():
            found[tuple(plain(f) for f in path)] += size
        differ("the heap at the peak", expected, found)


def is_sampled():
    return json.loads(run("info", "--absolute", "--json", trace))["info"].get("stacks", "0") not in ("0", "1")


globals()[f"check_{format_}"]()
sys.exit(1 if problems else 0)
