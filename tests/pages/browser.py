#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: browser.py TOOL TRACE WORK [CHECK...]

Whether the page of `lifetrace html` works in Chromium without a screen, by keys and pointer: each
check opens it anew. Names the checks that fail, and leaves pictures in WORK. Exit status 77: Chromium
is missing.
"""
import json
import re
import shutil
import sys
import time

from case import LUMINANCE, NARROW, WIDE, Case, expect, grouped, holds, near, plain, sized


def check_sections(c):
    c.open()
    expect("sections", c.js("[...document.querySelectorAll('main h2')].map(h => h.textContent)"),
           ["What is wrong", "Memory over time", "Paths", "Call sites", "Slab caches", "Lifetimes", "Processes", "Advice"])


def check_how_sure(c):
    c.open()
    holds("how sure: the kernel's own counters", "the kernel's own slab counters" in c.text_of("#summary"))


def check_wrong(c):
    leaks = c.data["leaks"]
    columns = leaks["columns"]
    rows = [dict(zip(columns, row)) for row in leaks["rows"]]
    bad = [row for row in rows if row["verdict"] != "old"]
    c.open()
    expect("what is wrong", [(cells[0], cells[1]) for cells in c.cells("wrong")], [(plain(row["name"]), row["verdict"]) for row in bad])
    if len(rows) > len(bad):
        c.click("#wrong .tools > label input")
        expect("with old ones", len(c.cells("wrong")), len(rows))
        c.open(choice=c.address())
        expect("with old ones, from the address", len(c.cells("wrong")), len(rows))
    if c.name == "leaks":
        expect("the leak", c.cells("wrong")[0][:4], ["leaky+0x10", "leak", "12.6 KiB", "101"])
        c.click("#wrong button.row")
        holds("a leak says why", "It certainly leaks: 101 objects" in c.text_of("#wrong .detail"))


def check_first_columns(c):
    for size in (WIDE, NARROW):
        c.open(size)
        for section, report, keys in (("caches", "cache", 1), ("sites", "site", 2)):
            headers = c.headers(section)
            holds(f"{section}: few columns, not {len(headers)}", keys < len(headers) <= keys + 7)
            expect(f"{section}: the first ones", headers[keys:keys + 2], ["bytes alive", "alive"]
                   if any(row["alive_bytes"] for row in c.reports[report]["rows"]) else headers[keys:keys + 2])
            cells = c.cells(section)
            for i in range(keys, len(headers)):
                holds(f"{section}: {headers[i]} says something", any(row[i] not in ("", "0", "0 B") for row in cells))
            want = [sized(row["alive_bytes"]) for row in c.reports[report]["rows"]][:50]
            if "bytes alive" in headers:
                expect(f"{section}: in the order of bytes alive", [row[headers.index("bytes alive")] for row in cells], want)
                expect(f"{section}: which is said", c.js(f"document.querySelector('#{section} th[aria-sort]').dataset.column"), "alive_bytes")
            if size == WIDE:
                holds(f"{section}: as wide as the page",
                      c.js(f"(e => e.scrollWidth <= e.clientWidth)(document.querySelector('#{section} .scroll'))"))


def check_sticky(c):
    for size in (WIDE, NARROW):
        c.open(size)
        for box in c.js("[...document.querySelectorAll('#sites .columns input:not(:disabled)')].map(i => i.value)"):
            c.js(f"(e => e.checked || e.click())(document.querySelector('#sites .columns input[value=\"{box}\"]'))")
        c.js("(e => { e.style.maxHeight = '200px'; e.scrollIntoView(); e.scrollTo(150, 120); })(document.querySelector('#sites .scroll'))")
        at = c.js("(e => [e.scrollLeft, e.scrollTop])(document.querySelector('#sites .scroll'))")
        wrap = c.b.rect("#sites .scroll")
        head, name = c.b.rect("#sites thead th:nth-child(4)"), c.b.rect("#sites tbody tr:last-child > :first-child")
        corner = c.b.rect("#sites thead th")
        if at[1]:
            near("the header stays", head[1], wrap[1] + 1)
            near("with the corner", corner[1], wrap[1] + 1)
        holds("all columns are wider than the screen", at[0] > 50 or size == WIDE)
        near("the name stays", name[0], wrap[0] + 1)
        near("the corner stays", corner[0], wrap[0] + 1)


def check_chooser(c):
    c.open()
    before = c.headers("sites")
    holds("p99 is not there at first", "p99" not in before)
    c.click("#sites .columns summary")
    for name in c.js("[...document.querySelectorAll('#sites .columns input:disabled')].map(i => i.value)"):
        if name in c.data["sites"]["columns"]:
            at = c.data["sites"]["columns"].index(name)
            holds(f"{name} is empty", not any(row[at] for row in c.data["sites"]["rows"]) or name.endswith("_ns"))
    if c.js("document.querySelector('#sites .columns input[value=p99_ns]').disabled"):
        return
    c.js("document.querySelector('#sites .columns input[value=p99_ns]').click()")
    expect("p99 was added", c.headers("sites"), before + ["p99"])
    c.open(choice=c.address())
    expect("a link has the columns", c.headers("sites"), before + ["p99"])
    expect("others have not", "p99" in c.headers("caches"), False)


def check_not_reached(c):
    table = c.data["sites"]
    columns = table["columns"]
    rows = [dict(zip(columns, row)) for row in table["rows"]]
    if not any(row["p50_ns"] is not None or row["censored"] for row in rows):
        return
    want = {plain(row["site"]): "not reached" for row in rows if row["p50_ns"] is None and row["censored"]}
    c.open()
    at = c.headers("sites").index("p50")
    for cells in c.cells("sites"):
        holds(f"p50 of {cells[0]}: {cells[at]}", (cells[at] == "not reached") == (cells[0] in want))
    # It is longer than any that was reached; what is not known is last both ways.
    kinds = lambda: [{"not reached": "over", "": "none"}.get(row[at], "ns") for row in c.cells("sites")]  # noqa: E731
    c.sort("sites", "p50_ns")
    over, none = len(want), sum(row["p50_ns"] is None and not row["censored"] for row in rows)
    known = len(rows) - over - none
    expect("falling", kinds(), (["over"] * over + ["ns"] * known + ["none"] * none)[:50])
    c.sort("sites", "p50_ns")
    expect("rising", kinds(), (["ns"] * known + ["over"] * over + ["none"] * none)[:50])


def check_order(c):
    c.open()
    for section, report, keys in (("caches", "cache", ["cache"]), ("sites", "site", ["site", "cache"])):
        shown, at = c.cells(section), c.headers(section).index("allocations")
        expect(f"rows of {section}", len(shown), min(50, len(c.reports[report]["rows"])))
        want = [([plain(row[key]) for key in keys], row) for row in c.reports[report]["rows"]]
        for cells in shown:
            holds(f"{section}: {cells[:3]} is in the report", any(
                names == cells[:len(keys)] and grouped(row["allocations"]) == cells[at] for names, row in want))
    for order in ("descending", "ascending"):
        c.sort("caches", "allocations")
        expect("order", c.js("document.querySelector('#caches th[data-column=allocations]').getAttribute('aria-sort')"), order)
        numbers = [int(cells[c.headers("caches").index("allocations")].replace(",", "")) for cells in c.cells("caches")]
        expect("sorted", numbers, sorted((row["allocations"] for row in c.reports["cache"]["rows"]),
                                         reverse=order == "descending")[:50])
        c.open(choice=c.address())
        expect("a link has the order", [int(cells[c.headers("caches").index("allocations")].replace(",", ""))
                                        for cells in c.cells("caches")], numbers)
    name = plain(c.reports["cache"]["rows"][0]["cache"])
    c.choose("#caches input[type=search]", name, "input")
    holds("found", all(name in cells[0] for cells in c.cells("caches")))


# ---------------------------------------------------------------- memory over time

def window(c, first, last):
    """The sums of a window, against the data of the page, which check.py compares with lifetimes."""
    says = c.text_of("#memory output")
    total = [sum(sum(series[what][first:last + 1]) for series in c.data["time"]["caches"] if series) for what in (0, 2)]
    found = re.match(r"Window: .*: ([\d,]+) allocations of .*, ([\d,]+) frees of", says)
    expect(f"window {first} to {last}", found and list(found.groups()), [grouped(n) for n in total])
    cells, headers = c.cells("caches"), c.headers("caches")
    for name, n in (("allocations", total[0]), ("frees", total[1])):
        # A column that is 0 in all rows is not shown.
        expect(f"{name} in the window", sum(int(row[headers.index(name)].replace(",", "")) for row in cells)
               if name in headers else 0, n)


def check_window(c):
    c.open()
    c.js("document.querySelector('#memory svg').focus()")
    c.b.key("Home")
    for _ in range(3):
        c.b.key("ArrowRight", shift=True)
    window(c, 0, 3)
    c.b.key("ArrowLeft", shift=True)
    window(c, 0, 2)
    expect("the window is in the address", c.address(), "w=0-2")
    c.b.key("Escape")
    holds("all", c.text_of("#memory output").startswith("All of the time"))
    expect("and left the address", c.address(), "")
    c.b.drag("#memory svg", 0.3, 0.7)
    holds("dragged", c.text_of("#memory output").startswith("Window: "))
    first, last = map(int, re.match(r"w=(\d+)-(\d+)$", c.address()).groups())
    window(c, first, last)
    seen = c.cells("caches")
    c.open(choice=f"w={first}-{last}")
    window(c, first, last)
    expect("a link shows the same", c.cells("caches"), seen)
    c.js("[...document.querySelectorAll('#memory .tools button')].pop().click()")
    holds("all again", c.text_of("#memory output").startswith("All of the time"))


def check_value(c):
    for size in (WIDE, NARROW):
        c.open(size)
        holds("no value at first", c.js("document.querySelector('.tip').hidden"))
        c.b.hover("#memory svg", 0.8)
        box = c.b.rect("#memory svg")
        part = int((box[2] * 0.8 - 70) / (box[2] - 70) * 100)
        total, caches = c.alive(part)
        tip = c.text_of(".tip")
        holds(f"the value under the pointer: {tip}", f": {sized(total)}" in tip)
        named = [name for name, n in sorted(caches.items(), key=lambda item: -item[1]) if name and n][:1]
        for name in named:
            holds(f"{name} in {tip}", f"{name}: {sized(caches[name])}" in tip)
        tip_box = c.b.rect(".tip")
        holds("the value is on the screen", tip_box[0] >= 0 and tip_box[0] + tip_box[2] <= size[0])
        c.b.mouse("mouseMoved", 1, 1)
        holds("no value away from the chart", c.js("document.querySelector('.tip').hidden"))
        c.js("document.querySelector('#memory svg').focus({focusVisible: true})")
        c.b.key("Home")
        c.b.key("ArrowRight")
        holds("the value at the cursor", f": {sized(c.alive(1)[0])}" in c.text_of(".tip"))
        c.b.key("Escape")
        holds("none after Escape", c.js("document.querySelector('.tip').hidden"))


def check_legend(c):
    c.open()
    layers = c.js("document.querySelectorAll('#memory path').length")
    expect("layers", layers, min(8, len(c.data["time"]["caches"]) - 1) + 1)
    expect("names", c.js("document.querySelectorAll('#memory .legend button').length"), layers)
    c.click("#memory .legend button")
    expect("pressed", c.js("document.querySelector('#memory .legend button').getAttribute('aria-pressed')"), "false")
    expect("a layer less", c.js("document.querySelectorAll('#memory path').length"), layers - 1)
    c.open(choice=c.address())
    expect("a link hides it, too", c.js("document.querySelectorAll('#memory path').length"), layers - 1)
    c.js("document.querySelector('#memory .legend button').focus()")
    c.b.key("Enter")
    expect("all layers", c.js("document.querySelectorAll('#memory path').length"), layers)
    c.choose("#memory select", "sites")
    expect("layers by call site", c.js("document.querySelectorAll('#memory path').length"), min(8, len(c.data["time"]["sites"]) - 1) + 1)
    expect("in the address", c.address(), "memory.by=sites")


def check_markers(c):
    rows = c.data["time"]["markers"]["rows"]
    c.open()
    expect("markers", c.js("document.querySelectorAll('#memory .marker').length"), len(rows))
    expect("their texts", c.js("[...document.querySelectorAll('#memory .marker title')].map(t => t.textContent.split(': ').slice(1).join(': '))"),
           [plain(row[1]) for row in rows])
    begin, step = c.data["time"]["begin_ns"], c.data["time"]["step_ns"]
    parts = [min(99, (row[0] - begin) // step) for row in rows] + [99]
    for i in range(len(rows)):
        c.js(f"document.querySelectorAll('#memory .marks button')[{i}].click()")
        window(c, parts[i], parts[i + 1])
        line = c.js(f"document.querySelectorAll('#memory .marker line')[{i}].getBoundingClientRect().x")
        box = c.b.rect("#memory svg")
        near("where it stands", line, box[0] + 70 + (box[2] - 70) * (rows[i][0] - begin) / step / 100)


# ---------------------------------------------------------------- the flame graph

FOCUS = "document.activeElement.getAttribute('aria-label')"


def check_flame(c):
    flame = c.data["flame"]
    c.open()
    for i, what in enumerate(flame["sums"]):
        c.choose("#flame select", what)
        total = flame["rest"][1 + i] + sum(row[1 + i] for row in flame["rows"])
        says = c.text_of("#flame output:not(.matched)")
        if not total:
            expect(f"graph of {what}", says, "Nothing.")
            continue
        if what == "churn":
            expect("graph of churn", says, f"all: {grouped(total)} allocations, 100.0 %")
        holds(f"frames of {what}", c.js("document.querySelectorAll('#flame .frame').length") > 2)
        for select, value in (("as", "flame"), ("from", "site")):
            frames = c.js("document.querySelectorAll('#flame .frame').length")
            c.choose(f"#flame select[aria-label='{'Drawn as' if select == 'as' else 'From'}']", value)
            holds(f"{what} as {value}", c.js("document.querySelectorAll('#flame .frame').length") > (1 if frames > 1 else 0))
            c.open(choice=f"flame.of={what}")


def deepest(c):
    """Names of the path with most allocations, from the root."""
    flame = c.data["flame"]
    row = max(flame["rows"], key=lambda row: row[3])
    return [plain(flame["names"][n]) for n in row[0]]


def check_zoom(c):
    c.open(choice="flame.of=churn")
    path = deepest(c)
    c.js("document.querySelector('#flame .frame').focus()")
    for name in path[:2]:
        c.b.key("ArrowDown")
        for _ in range(200):
            if c.js(FOCUS).startswith(f"{name}: "):
                break
            c.b.key("ArrowRight")
        holds(f"{name} by arrow keys", c.js(FOCUS).startswith(f"{name}: "))
    c.b.key("Enter")
    labels = c.js("[...document.querySelectorAll('#flame .frame')].slice(0, 3).map(f => f.getAttribute('aria-label').split(': ')[0])")
    expect("what is above stays", labels, ["all", *path[:2]])
    boxes = c.js("[...document.querySelectorAll('#flame .frame rect')].slice(0, 3).map(r => [r.getBoundingClientRect().width, r.getBoundingClientRect().y])")
    width = c.b.rect("#flame svg")[2]
    for box in boxes:
        near("its width", box[0], width)
    holds("one below the other", boxes[0][1] < boxes[1][1] < boxes[2][1])
    holds("the focus stays", c.js(FOCUS).startswith(f"{path[1]}: "))
    c.b.key("ArrowDown")
    holds("a share of both", re.search(r" % of all, [\d.]+ % of ", c.js(FOCUS)))
    address = c.address()
    c.open(choice=address)
    expect("a link zooms, too", c.js("[...document.querySelectorAll('#flame .frame')].slice(0, 3)"
                                     ".map(f => f.getAttribute('aria-label').split(': ')[0])"), ["all", *path[:2]])
    c.click("#flame .frame:nth-child(2)")
    holds("a click on one above goes there", c.js(FOCUS).startswith(f"{path[0]}: "))
    c.b.key("Escape")
    holds("all again", c.js(FOCUS).startswith("all: "))


def check_matched(c):
    flame = c.data["flame"]
    c.open(choice="flame.of=churn")
    total = flame["rest"][3] + sum(row[3] for row in flame["rows"])
    name = deepest(c)[1]
    c.choose("#flame input[type=search]", name, "input")
    for wanted, exact in ((name.lower(), False), (name.lower(), True)):
        n = sum(row[3] for row in flame["rows"] if any(
            plain(flame["names"][i]).lower() == wanted if exact else wanted in plain(flame["names"][i]).lower() for i in row[0]))
        holds(f"matched: {c.text_of('.matched')}", c.text_of(".matched").startswith(
            f"matched {100 * n / total:.1f} %: {grouped(n)} allocations in "))
        holds("found frames", c.js("document.querySelectorAll('#flame .found').length") > 0)
        c.choose("#flame input[type=search]", f"={name}", "input")
    c.b.key("Enter")
    c.js("document.querySelector('#flame input[type=search]').focus()")
    c.b.key("Enter")
    holds("Enter leads to the first one", c.js(FOCUS).startswith(f"{name}: "))
    c.open(choice=c.address())
    holds("a link searches, too", c.text_of(".matched").startswith("matched "))


# ---------------------------------------------------------------- rows, lifetimes, processes

def check_row(c):
    c.open()
    name = c.cells("sites")[0][0]
    c.click("#sites button.row")
    expect("opened", c.js("document.querySelector('#sites button.row').getAttribute('aria-expanded')"), "true")
    detail = c.text_of("#sites .detail")
    flame = c.data["flame"]
    paths = [row for row in flame["rows"] if plain(flame["names"][row[0][-1]]) == name]
    if paths:
        best = max(paths, key=lambda row: row[1] or row[4])
        stack = [plain(flame["names"][i]) for i in best[0] if not re.match("(task|interrupt|cache) ", flame["names"][i])]
        holds(f"a path in {detail}", " ← ".join(reversed(stack)) in detail)
    holds("each object", "lifetrace lifetimes --site=" in detail or re.search(r"[^ -~']", name))
    c.open(choice=c.address())
    expect("a link opens it, too", c.js("document.querySelector('#sites button[aria-expanded=true]').textContent"), name)
    c.js("[...document.querySelectorAll('#sites .detail button')].find(b => b.textContent === 'In the flame graph').click()")
    holds("its frames", c.js("document.querySelectorAll('#flame .found').length") > 0 or not paths)
    holds("what they have", c.text_of(".matched").startswith("matched "))
    if c.js("Boolean([...document.querySelectorAll('#sites .detail button')].find(b => b.textContent === 'Lifetimes'))"):
        c.js("[...document.querySelectorAll('#sites .detail button')].find(b => b.textContent === 'Lifetimes').click()")
        expect("its lifetimes", c.js("document.querySelectorAll('#lives select')[1].selectedOptions[0].textContent"), name)
    c.js("document.querySelector('#sites button[aria-expanded=true]').focus()")
    c.b.key("Escape")
    expect("closed by Escape", c.js("document.querySelectorAll('#sites .detail').length"), 0)
    c.click("#caches button.row")
    sites = c.js("[...document.querySelectorAll('#caches .detail p button')].map(b => b.textContent)")
    if sites:
        c.click("#caches .detail p button")
        expect("from a cache to its call site", c.js("document.querySelector('#sites button[aria-expanded=true]').textContent"), sites[0])


def check_lives(c):
    c.open()
    one = c.data["lives"]["caches"][0]
    total = sum(one[1]) + sum(one[2])
    expect("lives of all", c.text_of("#lives output").split(" exact")[0], grouped(sum(one[1])))
    expect("lives", c.js("document.querySelectorAll('#lives select')[1].options.length"), len(c.data["lives"]["caches"]))
    expect("a curve", c.js("document.querySelectorAll('#lives .curve').length"), 1)
    left = c.js("[...document.querySelectorAll('#lives .left')].map(t => t.textContent)")
    right = c.js("[...document.querySelectorAll('#lives .right')].map(t => [t.textContent, t.getBoundingClientRect().x])")
    expect("the scale of the curve", left, ["0 %", "25 %", "50 %", "75 %", "100 %"])
    most = float(right[4][0].split()[0]) / 100
    holds("the scale of the bars is at the right", right[0][1] > c.b.rect("#lives svg")[0] + c.b.rect("#lives svg")[2] * 0.8)
    grid = c.js("[...document.querySelectorAll('#lives .grid')].map(l => l.getBoundingClientRect().y)")
    bars = c.js("[...document.querySelectorAll('#lives .bar rect')].map(r => r.getBoundingClientRect().height)")
    for i, n in enumerate(value for pair in zip(one[1], one[2]) for value in pair):
        near(f"bar {i} by its scale", bars[i] / (grid[0] - grid[4]) * most * total, n) if n * 200 < total else \
            holds(f"bar {i} by its scale", abs(bars[i] / (grid[0] - grid[4]) * most * total - n) < total * most / 50)


def check_tasks(c):
    rows = c.data["tasks"]["rows"]
    c.open()
    if not rows:
        holds("no tasks", "without tasks" in c.text_of("#tasks") or not c.data["tasks"]["processes"])
        return
    above = []
    for i, row in enumerate(rows):
        above = above[:row[0]]
        holds(f"row {i} stands below one", len(above) == row[0])
        above.append(row)
        beside = set()
        for other in rows[i + 1:]:
            if other[0] <= row[0]:
                break
            if other[0] == row[0] + 1:
                holds(f"one row of {other[2]}", other[2] not in beside)
                beside.add(other[2])
    many = [row for row in rows if row[5] > 1]
    expect("rows that open", c.js("document.querySelectorAll('#tasks button.row').length"), len(many))
    if many:
        expect("its name", c.text_of("#tasks button.row"), f"{many[0][2]} × {grouped(many[0][5])}")
        before = len(c.cells("tasks"))
        c.click("#tasks button.row")
        cells = c.cells("tasks")
        more = len(many[0][6]) + (many[0][5] > len(many[0][6]))
        expect("its processes", len(cells) - before, more)
        at = [row[0] for row in cells].index(next(row[0] for row in cells if "×" in row[0]))
        expect("their sum", sum(int(row[3].replace(",", "")) for row in cells[at + 1:at + 1 + more]), many[0][4][0])
        c.b.key("Escape")
        expect("closed", len(c.cells("tasks")), before)
    c.choose("#tasks select", "programs")
    sums = {}
    for row in rows:
        sums[plain(row[2])] = sums.get(plain(row[2]), 0) + row[3][0]
    cells, headers = c.cells("tasks"), c.headers("tasks")
    for name, n in sums.items():
        for row in cells:
            if row[0] == name:
                expect(f"allocations of {name}", row[headers.index("allocations")], grouped(n))
    c.open(choice=c.address())
    expect("a link sums up by program", c.headers("tasks")[0], "program")


# ---------------------------------------------------------------- keys, screens, themes

def check_keys(c):
    c.open()
    reached = set()
    for _ in range(120):
        c.b.key("Tab")
        reached.add(c.js("(e => e.closest('section')?.id + ' ' + (e.className?.baseVal ?? e.className) + e.tagName)(document.activeElement)"))
        style = c.js("(s => s.outlineStyle + s.strokeWidth)(getComputedStyle(document.activeElement.querySelector(':scope > rect') "
                     "|| document.activeElement))")
        holds(f"the focus is seen: {style}", style.startswith(("solid", "auto")) or style.endswith("2px"))
        if any(one.startswith("caches rowBUTTON") for one in reached):
            break
    for what in ("wrong INPUT", "memory svg", "memory BUTTON", "flame frameg", "sites SUMMARY", "sites rowBUTTON", "sites scrollDIV"):
        if what.startswith("wrong") and not c.data["leaks"]["total_rows"]:
            continue
        holds(f"Tab reaches {what}", what in reached)
    c.js("document.querySelector('#sites button.row').focus()")
    names = [row[0] for row in c.cells("sites")]
    for name in names[1:3]:
        c.b.key("ArrowDown")
        expect("the row below", c.js("document.activeElement.textContent"), name)
    if len(names) > 2:
        c.b.key("ArrowUp")
        expect("the row above", c.js("document.activeElement.textContent"), names[1])
        c.b.key("Enter")
        expect("Enter opens it", c.js("document.querySelector('#sites button[aria-expanded=true]')?.textContent"), names[1])
        expect("and it has the focus", c.js("document.activeElement.textContent"), names[1])
    c.click("nav a[href='#lives']")
    expect("a section is in the address", c.address().split("&")[0], "lives")
    holds("and on the screen", 0 <= c.b.rect("#lives h2")[1] < 900)


def check_narrow(c):
    for theme in ("light", "dark"):
        c.b.theme(theme)
        c.open(NARROW)
        for act in ("''", "document.querySelector('#sites button.row')?.click()", "document.querySelector('#wrong button.row')?.click()",
                    "document.querySelector('#caches .columns summary')?.click()",
                    "document.querySelector('#memory svg').dispatchEvent(new PointerEvent('pointermove', {clientX: 380}))"):
            c.js(act)
            holds(f"nothing is wider than a narrow screen, after {act}",
                  c.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
        times = c.js("[...document.querySelectorAll('#memory .time')].map(t => [t.getBoundingClientRect().left, t.getBoundingClientRect().right])")
        expect("times of the chart", len(times), 3)
        for left, right in zip(times, times[1:]):
            holds("times of the chart have room", left[1] + 4 < right[0])
        name = c.js("(() => { const r = document.createRange(), n = document.querySelector('#sites button.row'); r.selectNodeContents(n); "
                    "return [r.getClientRects()[0].top, n.getClientRects()[0].top]; })()")
        holds("a name begins in the line of its arrow", abs(name[0] - name[1]) < 10)
        c.js("scrollTo(50, 0)")
        expect("nothing goes sideways", c.js("scrollX"), 0)
        c.b.picture(f"{c.work}/{c.name}-{theme}-400.png", 400)


def check_themes(c):
    back = "getComputedStyle(document.body).backgroundColor"
    seen = {}
    selectors = ["body", ".note", ".machine", "nav a", "thead button", "#memory .axis", "#flame text", "button", "select"]
    for theme in ("light", "dark"):
        c.b.theme(theme)
        c.open()
        seen[theme] = c.js(back)
        for selector, ratio in c.js(LUMINANCE % json.dumps([one for one in selectors if c.js(f"Boolean(document.querySelector('{one}'))")])):
            holds(f"{theme}: {selector} can be read ({ratio:.1f})", ratio >= 4.5)
        c.b.picture(f"{c.work}/{c.name}-{theme}-1400.png", 1400)
    holds("dark is another one", seen["light"] != seen["dark"])
    expect("the switch", c.text_of(".theme"), "Light")
    c.click(".theme")
    expect("changes the theme", c.js(back), seen["light"])
    c.click(".theme")
    expect("and back", c.js(back), seen["dark"])
    c.b.theme("light")


def check_link(c):
    """Everything at once, by an address that is written by hand while the page is open."""
    c.open(choice="caches&w=10-20&caches.sort=allocations.asc&flame.of=bytes&flame.as=flame&memory.by=sites")
    state = lambda: (c.text_of("#memory output"), c.cells("caches"), c.js("[...document.querySelectorAll('select')].map(s => s.value)"))  # noqa: E731
    want = state()
    holds("the window", want[0].startswith("Window: "))
    holds("the section", 0 <= c.b.rect("#caches h2")[1] < 900)
    expect("choices", want[2][:4], ["sites", "bytes", "task", "flame"])
    c.open()
    c.js("location.hash = '#caches&w=10-20&caches.sort=allocations.asc&flame.of=bytes&flame.as=flame&memory.by=sites'")
    time.sleep(0.2)
    expect("the same", state(), want)
    for bad in ("w=20-10", "w=5-100", "w=x", "memory.by=nothing", "caches.sort=nothing.desc", "caches.columns=no", "%E0%A4%A", "flame.zoom=no",
                "life=nothing", "tasks.as=nothing", "sites.open=nothing"):
        c.open(choice=bad)
        holds(f"a bad address: {bad}", c.text_of("#memory output").startswith("All of the time"))


def check_names(c):
    c.open()
    expect("scripts", c.js("document.scripts.length"), 2)
    expect("markup from names", c.js("document.querySelectorAll('td b, th b, td script, svg b, svg script, .marks b, .marks i, title b').length"), 0)
    for name in {"stacks": ["<b>&amp"], "leaks": ["second <i>"]}.get(c.name, []):
        holds(f"{name} as text", c.js(f"document.body.textContent.includes({json.dumps(name)})"))


def check_without(c):
    """Without JavaScript; the figures are those with it."""
    c.open()
    scripted = c.headers("caches"), c.cells("caches")
    c.b.faults()
    c.b.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        for size in (WIDE, NARROW):
            c.b.size(*size)
            c.b.open(c.page)
            rows = c.cells("caches")
            expect("rows", len(rows), min(40, len(c.data["caches"]["rows"])))
            expect("the order", [row[1] for row in rows], [sized(row["alive_bytes"]) for row in c.reports["cache"]["rows"]][:40])
            headers = c.headers("caches")
            for name, column in (("growth", "growth"), ("p50", "p50"), ("bytes", "bytes"), ("count", "allocations")):
                if column in scripted[0]:
                    with_it = {row[0]: row[scripted[0].index(column)] for row in scripted[1]}
                    expect(f"{name} as with JavaScript", [row[headers.index(name)] for row in rows],
                           [with_it[row[0]] for row in rows])
            expect("markers", c.js("[...document.querySelectorAll('#memory dd')].map(d => d.textContent)"),
                   [plain(row[1]) for row in c.data["time"]["markers"]["rows"]])
            expect("what is wrong", len(c.cells("wrong")), c.data["leaks"]["wrong"])
            holds("nothing goes sideways", c.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
            expect("faults", c.b.faults(), [])
    finally:
        c.b.call("Emulation.setScriptExecutionDisabled", value=False)


def check_planted(c):
    """What somebody planted is not run."""
    with open(f"{c.work}/planted.html", "w", encoding="utf-8") as file:
        file.write(c.text.replace("<main>", "<main><script>window.hit = 1</script><img src=\"x.png\" onerror=\"window.hit = 2\">", 1))
    c.b.faults()
    c.b.open(f"{c.work}/planted.html")
    holds("a planted script", c.js("window.hit === undefined"))
    holds("what the policy reports", len([f for f in c.b.faults() if "Content Security Policy" in f]) >= 2)


def main(tool, trace, work, *chosen):
    if not shutil.which("chromium"):
        sys.exit(77)
    c = Case(tool, trace, work)
    failed = 0
    try:
        begin = time.monotonic()
        c.open()
        print(f"{c.name}: ready after {time.monotonic() - begin:.2f} s, {len(c.text.encode())} bytes")
        for name, check in [item for item in globals().items() if item[0].startswith("check_")]:
            if chosen and name[6:] not in chosen:
                continue
            try:
                c.b.theme("light")
                check(c)
                if name != "check_planted":
                    expect("errors and requests", c.b.faults(), [])
            except (AssertionError, SystemExit, TypeError, ValueError, LookupError,
                    AttributeError, StopIteration) as error:
                print(f"{c.name}: {name[6:]}: {type(error).__name__} {error}", file=sys.stderr)
                failed += 1
    finally:
        c.b.process.terminate()
        c.b.process.wait()
    sys.exit(failed > 0)


if len(sys.argv) < 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
