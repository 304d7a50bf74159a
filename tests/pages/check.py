#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: check.py LIFETRACE TRACE WORK [SPACE]

The page of `lifetrace html` is well-formed, asks for nothing outside itself, allows no script but its
own, keeps names as text, and its figures are those of `report`, `advice` and `lifetimes`. With SPACE:
the figures of the page about this kind of memory.
"""
import base64
import collections
import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../export"))
from recorded import as_recorded  # noqa: E402

VOID = {"meta", "link"}
ELEMENTS = VOID | set("""html head title style body header h1 h2 p nav a main svg section b dl div dt dd code noscript
    table caption thead tbody tr th td pre script""".split())
ATTRIBUTES = set("lang charset http-equiv content name rel href class id type scope width height aria-hidden aria-label".split())
OUTSIDE = re.compile(r"https?:|//[a-z]|\bsrc\s*=|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(|innerHTML|"
                     r"insertAdjacentHTML|document\.write|eval\(", re.I)


class Page(html.parser.HTMLParser):
    """Elements, texts and faults of a page."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.faults, self.texts = [], [], collections.defaultdict(list)
        self.cells, self.policy, self.data = [], "", None
        self.feed(text)
        self.close()
        if self.stack:
            self.faults.append(f"not closed: {self.stack}")

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS:
            self.faults.append(f"element {tag}")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.faults.append(f"attribute {name} of {tag}")
            if name == "href" and not (value.startswith("#") or value == "data:,"):
                self.faults.append(f"link to {value}")
        attrs = dict(attrs)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        self.texts[tag].append("")
        if tag == "td":
            self.cells.append((self.section, attrs.get("class"), ""))
        if tag == "section":
            self.section = attrs["id"]
        if tag not in VOID:
            self.stack.append(tag)

    section = None

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.stack:
            self.texts[self.stack[-1]][-1] += data
        if self.stack and self.stack[-1] == "td":
            section, kind, text = self.cells[-1]
            self.cells[-1] = (section, kind, text + data)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def expect(what, is_, must):
    if is_ != must:
        raise SystemExit(f"{what}: {str(is_)[:300]} instead of {str(must)[:300]}")


def hash_of(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def check_frame(text, page):
    """All but the figures."""
    expect("faults", page.faults, [])
    expect("scripts", len(page.texts["script"]), 2)
    style, script = page.texts["style"][0], page.texts["script"][1]
    expect("policy", page.policy, f"default-src 'none'; script-src 'sha256-{hash_of(script)}'; style-src "
           f"'sha256-{hash_of(style)}'; img-src data:; base-uri 'none'; form-action 'none'")
    expect("policy before style and script", text.index("Content-Security") < text.index("<style"), True)
    found = OUTSIDE.search(style + script + text[:text.index("<style")])
    expect("asks for something outside", found and found.group(), None)
    expect("'<' in data", "<" in page.texts["script"][0], False)


def check_table(table, report, keys):
    """The rows of the page are rows of the report, and all of them if they fit."""
    rows = {tuple(json.dumps(row.get(key)) for key in keys): row for row in report["rows"]}
    expect("rows", table["total_rows"], len(rows))
    expect("rows shown", len(table["rows"]), min(len(rows), 300))
    for values in table["rows"]:
        row = dict(zip(table["columns"], values))
        expect("row", row, rows[tuple(json.dumps(row[key]) for key in keys)])


def check_series(series, table, total):
    """Births and ends by time add up to each row, and to the whole."""
    rows = [dict(zip(table["columns"], values)) for values in table["rows"]]
    sums, older = [0, 0, 0, 0], [0, 0]
    for i, one in enumerate(series):
        if not one:
            continue
        mine = [sum(parts) for parts in one[:4]]
        sums = [a + b for a, b in zip(sums, mine)]
        older = [a + b for a, b in zip(older, one[4] if len(one) > 4 else [0, 0])]
        if i < len(series) - 1:
            row = rows[i]
            expect("births by time", mine[:2], [row["allocations"], row["bytes"]])
            first = one[4] if len(one) > 4 else [0, 0]
            expect("alive by time", (first[0] + mine[0] - mine[2], first[1] + mine[1] - mine[3]),
                   (row["alive"] + row["maybe_alive"], row["alive_bytes"] + row["maybe_alive_bytes"]))
    expect("births of all", sums[:2], [total["allocations"], total["bytes"]])
    expect("ends of all", older[1] + sums[1] - sums[3], total["alive_bytes"] + total["maybe_alive_bytes"])


def check_parts(data, lifetimes):
    """Each lifetime by itself: the part of its birth and of its end, by cache."""
    time = data["time"]
    want = collections.defaultdict(lambda: [[0] * time["parts"] for _ in range(4)] + [[0, 0]])
    for one in lifetimes:
        if one["birth_ns"] is None or one["kind"] in ("page", "percpu", "vmalloc"):
            continue
        def part(ns):
            return min((ns - time["begin_ns"]) // time["step_ns"], time["parts"] - 1)
        size = one["bytes_alloc"] or one["bytes_req"] or 0
        for what, at in ((0, one["birth_ns"]), (2, one["death_ns"] if one["ended_by"] != "alive" else None)):
            if at is not None and at < time["begin_ns"]:
                want[one["cache"]][4] = [a + b for a, b in zip(want[one["cache"]][4], (1, size))]
            elif at is not None:
                want[one["cache"]][what][part(at)] += 1
                want[one["cache"]][what + 1][part(at)] += size
    for row, series in zip(data["caches"]["rows"], time["caches"][:-1]):
        full = [parts + [0] * (time["parts"] - len(parts)) for parts in series[:4]]
        full += series[4:] or [[0, 0]]
        if row[0] in want:
            expect(f"parts of {row[0]}", full, want[row[0]])


def check_flame(flame, collapsed):
    """
    The sums of all paths, and the numbers of each path, are those of `export --format collapsed`.
    Different paths may have one text, by which they are added up here. The page may show one of them
    only: so many texts may have less than their sum as there are more paths than texts, and as
    there are paths that the page does not show.
    """
    wanted = [collections.Counter() for _ in flame["sums"]]
    for what, want in zip(flame["sums"], wanted):
        for line in collapsed(what).decode().splitlines():
            path, number = line.rsplit(" ", 1)
            want[path.replace("\\x3b", ";")] += int(number)
    shown = [collections.Counter() for _ in flame["sums"]]
    for row in flame["rows"]:
        path = ";".join(flame["names"][n].replace("\\\\", "\\") for n in row[0])
        for i, found in enumerate(shown):
            found[path] += row[1 + i]
    in_part = set()
    for what, want, found, rest in zip(flame["sums"], wanted, shown, flame["rest"][1:]):
        expect(f"{what} in the graph", rest + sum(found.values()), sum(want.values()))
        for path in found:
            expect(f"{what} of {path}, at the most", min(found[path], want[path]), found[path])
            if found[path] < want[path]:
                in_part.add(path)
    texts = set().union(*wanted) | set(shown[0])
    most = min(flame["rest"][0], flame["rest"][0] + len(flame["rows"]) - len(texts))
    expect("paths of which the graph has a part", len(in_part) <= most, True)


def check_lives(lives, table):
    for one, values in zip(lives[1:], table["rows"]):
        row = dict(zip(table["columns"], values))
        expect("exact ones", sum(one[1]), row["exact"])
        expect("ages", sum(one[2]), row["censored"])
        expect("median", one[3][9] if len(one[3]) > 9 else None, row["p50_ns"])
        expect("99 %", one[3][19] if len(one[3]) > 19 else None, row["p99_ns"])
        expect("falls", one[3], sorted(one[3]))


def check_members(row):
    """The processes of a row have what it has, those with most bytes first; the page has 20 of them."""
    expect("members", len(row[6]), min(20, row[5]) if row[5] > 1 else 0)
    expect("their order", [member[2][1] for member in row[6]], sorted((member[2][1] for member in row[6]), reverse=True))
    for at, name in ((1, "own"), (2, "with what is below")):
        sums = [sum(member[at][i] for member in row[6]) for i in range(4)]
        if len(row[6]) == row[5]:
            expect(f"members, {name}", sums, row[2 + at])
        elif row[6]:
            expect(f"members, {name}", all(a <= b for a, b in zip(sums, row[2 + at])), True)


def check_tasks(tasks, report):
    names = ("allocations", "bytes", "alive", "alive_bytes")
    if len(tasks["rows"]) == tasks["total_rows"]:
        expect("processes", sum(row[5] for row in tasks["rows"]) + tasks["idle"], tasks["processes"])
    sums = [sum(row[3][i] for row in tasks["rows"]) + tasks["rest"][i] + tasks["none"][i] for i in range(4)]
    if tasks["total_rows"]:
        expect("sums of processes", sums, [sum(row[name] for row in report["rows"]) for name in names])
    for i, row in enumerate(tasks["rows"]):
        below = []
        for other in tasks["rows"][i + 1:]:
            if other[0] <= row[0]:
                break
            below.append(other)
        least = [row[3][k] + sum(other[3][k] for other in below) for k in range(4)]
        expect("a tree has what its processes have", all(a >= b for a, b in zip(row[4], least)), True)
        if len(tasks["rows"]) == tasks["total_rows"]:
            expect("sum of a tree", row[4], least)
        names_below = [other[2] for other in below if other[0] == row[0] + 1]
        expect("one row of a name", len(names_below), len(set(names_below)))
        check_members(row)


def check_growth(time, kind):
    """What is alive in the second half of the time, by the births and ends of the rows that have them."""
    for i, (one, growth) in enumerate(zip(time[kind][:-1], time["growth"][kind])):
        if one:
            expect(f"growth of row {i} of {kind}", growth, sum(one[1][time["parts"] // 2:]) - sum(one[3][time["parts"] // 2:]))


def rounded(row, digits):
    return {key: round(value, digits) if isinstance(value, float) else value for key, value in row.items()}


def check_leaks(data, leaks, digits):
    """Verdicts and figures are those of `leaks`; each row of a site of the page has its number."""
    mine = data["leaks"]
    expect("leaks", (mine["leaks"], mine["total_rows"], mine["older_ns"]), (leaks["leaks"], leaks["total_rows"], leaks["older_ns"]))
    expect("wrong", mine["wrong"], sum(row["verdict"] != "old" for row in leaks["rows"]))
    sites = [row[0] for row in data["sites"]["rows"]]
    for values, site, row in zip(mine["rows"], mine["site_rows"], leaks["rows"]):
        expect("leak", rounded(dict(zip(mine["columns"], values)), digits),
               rounded({key: value for key, value in row.items() if key != "address"}, digits))
        expect("its site", site, sites.index(row["site"]) if row["site"] in sites else None)
    expect("rows of leaks", len(mine["rows"]), min(60, leaks["total_rows"]))


def check_markers(time, dump):
    """All markers but those of the recorder, in the order of time, at the times of `dump`."""
    want = [[one["time"], one["text"]] for one in map(json.loads, dump.splitlines())
            if one["event"] == "marker" and not one["text"].startswith("lifetrace: slab ")]
    expect("markers", time["markers"], {"total": len(want), "rows": want[:200]})


MERGED = re.compile(r" \(\+\d+\)$")


def check_merged(tool, trace, data, words):
    """A merged cache is shown as the report in text shows it. Then the names are made those that JSON has."""
    text = run(tool, "report", "--by=cache", "--columns=cache", "-n0", *words, trace).decode()
    shown = {line.strip() for line in text.splitlines() if MERGED.search(line)}
    expect("merged caches", {row[0] for row in data["caches"]["rows"] if MERGED.search(row[0])} <= shown, True)
    for table in (data["caches"], data["sites"], data["leaks"]):
        at = table["columns"].index("cache")
        for row in table["rows"]:
            if row[at] and MERGED.search(row[at]):
                expect("a merged cache", row[at] in shown, True)
            elif row[at]:
                expect("not a merged cache", any(MERGED.sub("", name) == row[at] for name in shown), False)
            row[at] = row[at] and MERGED.sub("", row[at])


def check_cells(page, data, reports):
    """The tables without JavaScript have the names of the report with most bytes alive, as text."""
    for section, report, keys in (("caches", "cache", ["cache"]), ("sites", "site", ["site", "cache"])):
        names = [MERGED.sub("", text) for at, kind, text in page.cells if at == section and kind == "name"]
        want = [row[key] or "" for row in reports[report]["rows"][:40] for key in keys]
        # JSON has a backslash of a name twice.
        expect(f"names in {section}", [name.replace("\\", "\\\\") for name in names],
               [re.sub(r"^$", "", name) if "\\x" not in name else name.replace("\\x", "\\\\x") for name in want])


def check_figures(tool, trace, data, words, has_caches=True):
    """All figures, with the options of a filter. Returns the report by cache, or by call site without caches."""
    by = {name: as_recorded(json.loads(run(tool, "report", "--json", f"--by={name}", *words, trace)))
          for name in ("cache", "site", "task") if has_caches or name != "cache"}
    first = by["cache" if has_caches else "site"]
    if has_caches:
        check_merged(tool, trace, data, words)
    summary = data["summary"]
    total = summary.pop("all")
    expect("summary", {key: value for key, value in summary.items() if has_caches or key != "by"},
           {key: value for key, value in first.items() if key not in ("sort", "total_rows", "rows") and (has_caches or key != "by")})
    for name, value in total.items():
        expect(f"all: {name}", value, sum(row[name] for row in first["rows"]))
    expect("advice", data["advice"], json.loads(run(tool, "advice", "--json", *words, trace)))
    if has_caches:
        check_table(data["caches"], by["cache"], ["cache"])
    check_table(data["sites"], by["site"], ["site", "cache", "allocations"])
    for kind in ("caches", "sites") if has_caches else ("sites",):
        check_series(data["time"][kind], data[kind], total)
        check_lives(data["lives"][kind], data[kind])
        check_growth(data["time"], kind)
    leaks = json.loads(run(tool, "leaks", "--json", *words, trace))
    # Rates of a sample are divided after they were rounded.
    digits = 2 if "sample" in leaks else 3
    check_leaks(data, as_recorded(leaks), digits)
    check_flame(data["flame"],
                lambda what: run(tool, "export", "--format=collapsed", "-o-", f"--metric={what}", *words, trace))
    check_tasks(data["tasks"], by["task"])
    return first["rows"]


def page_of(tool, trace, *words):
    return Page(run(tool, "html", *words, "-o", "-", trace).decode())


def check_space(tool, trace, space):
    """The page about another kind of memory than slab objects."""
    page = page_of(tool, trace, f"--space={space}")
    data = json.loads(page.texts["script"][0])
    has_caches = space == "dma"
    expect("faults", page.faults, [])
    expect("the space", data["space"], space)
    rows = check_figures(tool, trace, data, [f"--space={space}"], has_caches)
    expect("allocations", sum(row["allocations"] for row in rows) > 0, True)
    expect("a table of caches", "Slab caches" in page.texts["h2"], False)
    expect("a table of devices", "Devices" in page.texts["h2"], has_caches)


def main(tool, trace, work, space=None):
    if space:
        check_space(tool, trace, space)
        return
    out = f"{work}/page.html"
    subprocess.run([tool, "html", "-o", out, trace], check=True)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    expect("another page of one trace", run(tool, "html", "-o", "-", trace).decode(), text)
    expect("size", len(text) < 1000000, True)
    page = Page(text)
    check_frame(text, page)
    data = json.loads(page.texts["script"][0])
    rows = check_figures(tool, trace, data, [])
    lines = run(tool, "lifetimes", "--json", trace).splitlines()
    check_cells(page, data, {by: as_recorded(json.loads(run(tool, "report", "--json", f"--by={by}", "--sort=alive_bytes", trace)))
                             for by in ("cache", "site")})
    check_markers(data["time"], run(tool, "dump", "--json", trace))
    data = json.loads(page_of(tool, trace, "--self").texts["script"][0])
    check_parts(data, [json.loads(line) for line in lines])
    names = [row["cache"] for row in rows if row["cache"] and row["cache"].isprintable()]
    for words in [[f"--cache={names[0]}"], ["--size=..200", "--from=0"]] if names else []:
        page = page_of(tool, trace, *words)
        check_figures(tool, trace, json.loads(page.texts["script"][0]), words)
        expect("the filter", page.texts["code"][:len(words)], words)


if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
main(*sys.argv[1:])
