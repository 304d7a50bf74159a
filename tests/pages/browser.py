#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: browser.py TOOL TRACE WORK

Whether the page of `lifetrace html` works in Chromium without a screen, by keys and pointer: no
error, no request, the figures of `report --json`, sums of a window, both themes, a narrow screen,
no JavaScript; and whether its policy stops what is planted. Pictures are left in WORK.
Exit status 77: Chromium is missing.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time


class Browser:
    """Chromium, driven through two pipes; what it reports is in events."""

    def __init__(self, work):
        to, self.to = os.pipe()
        self.back, back = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                   f"--user-data-dir={work}/chromium-page", "about:blank"]
        with open(f"{work}/chromium.log", "wb") as log:
            # pylint: disable=consider-using-with # it lives as long as this
            self.process = subprocess.Popen(
                ["bash", "-c", f'exec chromium "$@" 3<&{to} 4>&{back}', "chromium", *options], pass_fds=(to, back),
                stdout=log, stderr=log, env=dict(os.environ, HOME=os.path.abspath(work)))
        os.close(to)
        os.close(back)
        self.rest, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                sys.exit("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    sys.exit(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def js(self, text):
        got = self.call("Runtime.evaluate", expression=text, returnByValue=True)
        if "exceptionDetails" in got:
            sys.exit(f"{text}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def open(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        for _ in range(200):
            if self.js("document.readyState") == "complete" and self.js("location.href").startswith("file:"):
                return
            time.sleep(0.05)
        sys.exit(f"{path}: is not loaded after 10 s")

    def key(self, key, shift=False):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27}
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key],
                      modifiers=8 if shift else 0)

    def drag(self, selector, first, last):
        """With the pointer, over parts of the width of an element."""
        box = self.js(f"(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView(); "
                      "const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()")
        for kind, part in (("mousePressed", first), ("mouseMoved", (first + last) / 2), ("mouseMoved", last),
                           ("mouseReleased", last)):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * part, y=box[1] + box[3] / 2,
                      button="left", buttons=1, clickCount=1)

    def picture(self, path, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        time.sleep(0.3)
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": width, "height": 2600, "scale": 1})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def faults(self):
        """Errors and requests since the last call; the page itself and data: are no requests."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith("data:") and params.get("type") != "Document":
                    found.append(f"request: {url}")
        self.events = []
        return found


def expect(what, is_, must):
    if is_ != must:
        sys.exit(f"{what}: {str(is_)[:300]} instead of {str(must)[:300]}")


def grouped(n):
    return f"{n:,}"


CELLS = "[...document.querySelectorAll('#%s tbody tr')].map(r => [...r.cells].map(c => c.textContent))"


def plain(name):
    """JSON has a backslash of a name twice."""
    return name.replace("\\\\", "\\") if name is not None else ""


def check_tables(b, reports):
    for section, report, keys in (("caches", reports["cache"], ["cache"]), ("sites", reports["site"], ["site", "cache"])):
        shown = b.js(CELLS % section)
        expect(f"rows of {section}", len(shown), min(50, len(report["rows"])))
        want = [([plain(row[key]) for key in keys], row) for row in report["rows"]]
        for cells in shown:
            same = [row for names, row in want if names == cells[:len(keys)]
                    and grouped(row["allocations"]) == cells[len(keys)]]
            expect(f"{section}: rows of {cells[:3]}", bool(same), True)
    # Sorted by allocations, both ways, and searched.
    for order in ("descending", "ascending"):
        b.js("document.querySelectorAll('#caches th button')[1].click()")
        expect("order", b.js("document.querySelectorAll('#caches th')[1].getAttribute('aria-sort')"), order)
        numbers = [int(cells[1].replace(",", "")) for cells in b.js(CELLS % "caches")]
        expect("sorted", numbers, sorted((row["allocations"] for row in reports["cache"]["rows"]),
                                         reverse=order == "descending")[:50])
    name = plain(reports["cache"]["rows"][0]["cache"])
    b.js(f"(() => {{ const i = document.querySelector('#caches input'); i.value = {json.dumps(name)}; "
         "i.dispatchEvent(new Event('input')); })()")
    expect("found", {name in cells[0] for cells in b.js(CELLS % "caches")}, {True})
    b.js("(() => { const i = document.querySelector('#caches input'); i.value = ''; i.dispatchEvent(new Event('input')); })()")


def check_window(b, data, first, last):
    """The sums of a window, against the data of the page, which check.py compares with lifetimes."""
    says = b.js("document.querySelector('#memory output').textContent")
    total = [sum(sum(series[what][first:last + 1]) for series in data["time"]["caches"] if series) for what in (0, 2)]
    found = re.match(r"Window: .*: ([\d,]+) allocations of .*, ([\d,]+) frees of", says)
    expect("window", found and list(found.groups()), [grouped(n) for n in total])
    cells = b.js(CELLS % "caches")
    expect("allocations in the window", sum(int(row[1].replace(",", "")) for row in cells), total[0])
    expect("frees in the window", sum(int(row[3].replace(",", "")) for row in cells), total[1])


def check_memory(b, data):
    layers = b.js("document.querySelectorAll('#memory path').length")
    expect("layers", layers, min(8, len(data["time"]["caches"]) - 1) + 1)
    b.js("document.querySelector('#memory svg').focus()")
    b.key("ArrowRight")
    check_window(b, data, 0, 10)
    b.key("ArrowRight")
    check_window(b, data, 1, 11)
    b.key("ArrowRight", shift=True)
    check_window(b, data, 1, 12)
    b.key("ArrowLeft")
    check_window(b, data, 0, 11)
    b.key("Escape")
    expect("all", b.js("document.querySelector('#memory output').textContent").startswith("All of the time"), True)
    b.drag("#memory svg", 0.3, 0.7)
    says = b.js("document.querySelector('#memory output').textContent")
    expect("dragged", says.startswith("Window: "), True)
    b.js("document.querySelector('#memory .tools button').click()")


def check_flame(b, data):
    flame = data["flame"]
    for i, what in enumerate(flame["sums"]):
        b.js(f"(() => {{ const s = document.querySelector('#flame select'); s.value = {i}; s.dispatchEvent(new Event('change')); }})()")
        total = flame["rest"][1 + i] + sum(row[1 + i] for row in flame["rows"])
        says = b.js("document.querySelector('#flame output').textContent")
        if not total:
            expect(f"graph of {what}", says, "Nothing.")
            continue
        if what == "churn":
            expect("graph of churn", says, f"all: {grouped(total)} allocations, 100.0 %")
        expect(f"frames of {what}", b.js("document.querySelectorAll('#flame .frame').length") > 2, True)
    b.js("(() => { const s = document.querySelector('#flame select'); s.value = 2; s.dispatchEvent(new Event('change')); })()")
    b.js("document.querySelector('#flame .frame').focus()")
    focus = "document.activeElement.getAttribute('aria-label')"
    b.key("ArrowDown")
    child = b.js(focus)
    expect("the frame below", child.startswith("all: "), False)
    b.key("Enter")
    expect("zoomed", b.js(focus), child)
    b.key("Escape")
    expect("all again", b.js(focus).startswith("all: "), True)
    name = child.split(":")[0]
    b.js(f"(() => {{ const i = document.querySelector('#flame input'); i.value = {json.dumps(name)}; i.dispatchEvent(new Event('input')); }})()")
    expect("found frames", b.js("document.querySelectorAll('#flame .found').length") > 0, True)


def check_rest(b, data, names):
    expect("scripts", b.js("document.scripts.length"), 2)
    expect("markup from names", b.js("document.querySelectorAll('table b, table i, table script, svg b, svg script').length"), 0)
    for name in names:
        expect(f"{name} as text", b.js(f"document.body.textContent.includes({json.dumps(name)})"), True)
    lives = b.js("document.querySelectorAll('#lives select')[1].options.length")
    expect("lives", lives, len(data["lives"]["caches"]))
    expect("a curve", b.js("document.querySelectorAll('#lives .curve').length"), 1)
    one = data["lives"]["caches"][0]
    expect("lives of all", b.js("document.querySelector('#lives output').textContent").split(" exact")[0], grouped(sum(one[1])))


def pictures(b, work, name):
    back = "getComputedStyle(document.body).backgroundColor"
    b.picture(f"{work}/{name}-light.png", 1200)
    light = b.js(back)
    b.js("document.querySelector('.theme').click()")
    dark = b.js(back)
    expect("the switch changes the theme", light != dark, True)
    b.picture(f"{work}/{name}-dark.png", 1200)
    b.js("document.querySelector('.theme').click()")
    expect("and back", b.js(back), light)
    b.picture(f"{work}/{name}-narrow.png", 360)
    expect("nothing is wider than a narrow screen", b.js("document.documentElement.scrollWidth"), 360)
    b.js("delete document.documentElement.dataset.theme")
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    expect("dark where it is preferred", b.js(back), dark)
    b.call("Emulation.setEmulatedMedia", features=[])


def check_without(b, page, work, data):
    """Without JavaScript; and with what somebody planted."""
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open(page)
    expect("rows without JavaScript", len(b.js(CELLS % "caches")), min(40, len(data["caches"]["rows"])))
    expect("faults", b.faults(), [])
    b.call("Emulation.setScriptExecutionDisabled", value=False)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(f"{work}/planted.html", "w", encoding="utf-8") as file:
        file.write(text.replace("<main>", "<main><script>window.hit = 1</script><img src=\"x.png\" onerror=\"window.hit = 2\">", 1))
    b.open(f"{work}/planted.html")
    expect("a planted script", b.js("window.hit === undefined"), True)
    expect("what the policy reports", len([f for f in b.faults() if "Content Security Policy" in f]) >= 2, True)


def main(tool, trace, work):
    if not shutil.which("chromium"):
        sys.exit(77)
    name = os.path.basename(trace)[:-3]
    page = f"{work}/{name}.html"
    subprocess.run([tool, "html", "-o", page, trace], check=True)
    reports = {by: json.loads(subprocess.run([tool, "report", "--json", f"--by={by}", trace], check=True,
                                             capture_output=True).stdout) for by in ("cache", "site")}
    with open(page, encoding="utf-8") as file:
        data = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S)[1])
    b = Browser(work)
    try:
        b.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
        begin = time.monotonic()
        b.open(page)
        expect("ready", b.js("document.documentElement.dataset.ready"), "1")
        print(f"{name}: ready after {time.monotonic() - begin:.2f} s, {os.path.getsize(page)} bytes")
        check_tables(b, reports)
        check_memory(b, data)
        check_rest(b, data, ["<b>&amp"] if name == "stacks" else [])
        pictures(b, work, name)
        b.call("Emulation.setDeviceMetricsOverride", width=1200, height=900, deviceScaleFactor=1, mobile=False)
        check_flame(b, data)
        expect("faults", b.faults(), [])
        check_without(b, page, work, data)
    finally:
        b.process.terminate()
        b.process.wait()


if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
