# SPDX-License-Identifier: GPL-2.0
"""A page of a trace in Chromium, for browser.py: its data, what stands on it, and what must hold."""
import json
import os
import re
import subprocess
import time

from chromium import Browser

CELLS = "[...document.querySelectorAll('#%s tbody tr:not(.detail)')].map(r => [...r.cells].map(c => c.textContent))"
WIDE, NARROW = (1400, 900), (400, 800)
# How well the texts of selectors can be read: the ratio of their luminance to that behind them.
LUMINANCE = """(() => {
const light = rgb => rgb.map(n => n / 255).map(n => n <= .03928 ? n / 12.92 : ((n + .055) / 1.055) ** 2.4)
	.reduce((sum, n, i) => sum + n * [.2126, .7152, .0722][i], 0);
const color = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
return %s.map(selector => {
	const node = document.querySelector(selector);
	let back = node;
	while (back && /^rgba\\(0, 0, 0, 0\\)$/.test(getComputedStyle(back).backgroundColor))
		back = back.parentElement;
	const style = getComputedStyle(node), a = light(color(node instanceof SVGElement ? style.fill : style.color));
	const b = light(color(getComputedStyle(back || document.body).backgroundColor));
	return [selector, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)];
}); })()"""


def expect(what, is_, must):
    if is_ != must:
        raise AssertionError(f"{what}: {str(is_)[:300]} instead of {str(must)[:300]}")


def holds(what, is_):
    if not is_:
        raise AssertionError(what)


def near(what, is_, must):
    if abs(is_ - must) > 1.5:
        raise AssertionError(f"{what}: {is_} instead of {must}")


def grouped(n):
    return f"{n:,}"


def plain(name):
    """JSON has a backslash of a name twice."""
    return name.replace("\\\\", "\\") if name is not None else "(unknown)"


def sized(n):
    unit = 0
    n = float(n)
    while abs(n) >= 1024 and unit < 5:
        n, unit = n / 1024, unit + 1
    name = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][unit]
    return f"{n:.1f} {name}" if unit else f"{int(n)} {name}"


class Case:
    """A page of a trace, its data, and what the tool says of it."""

    def __init__(self, tool, trace, work):
        self.name = os.path.basename(trace)[:-3]
        self.work, self.page = work, f"{work}/{self.name}.html"
        subprocess.run([tool, "html", "-o", self.page, trace], check=True)
        self.reports = {by: json.loads(subprocess.run([tool, "report", "--json", f"--by={by}", "--sort=alive_bytes", trace],
                                                      check=True, capture_output=True).stdout) for by in ("cache", "site")}
        with open(self.page, encoding="utf-8") as file:
            self.text = file.read()
        self.data = json.loads(re.search(r'id="data">(.*?)</script>', self.text, re.S)[1])
        self.b = Browser(work)

    def open(self, size=WIDE, choice=""):
        self.b.size(*size)
        self.b.open(self.page, choice)
        expect("ready", self.b.js("document.documentElement.dataset.ready"), "1")

    def js(self, text):
        return self.b.js(text)

    def cells(self, section):
        return self.js(CELLS % section)

    def headers(self, section):
        return self.js(f"[...document.querySelectorAll('#{section} thead th')].map(h => h.textContent)")

    def text_of(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.textContent")

    def click(self, selector):
        holds(f"there is {selector}", self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
                                              "if (e) { e.scrollIntoView({block: 'center'}); e.focus(); e.dispatchEvent(new MouseEvent('click', "
                                              "{bubbles: true})); } return Boolean(e); })()"))

    def choose(self, selector, value, event="change"):
        holds(f"{selector} has {value}", self.js(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return false; e.value = {json.dumps(value)}; "
            f"e.dispatchEvent(new Event('{event}')); return e.value === {json.dumps(value)}; }})()"))

    def sort(self, section, column):
        self.click(f'#{section} th[data-column="{column}"] button')

    def address(self):
        """Behind the #, when it was written."""
        time.sleep(0.3)
        return self.js("location.hash.slice(1)")

    def alive(self, part):
        """Bytes alive at the end of a part of the time, and by cache."""
        caches = {}
        names = [plain(row[0]) for row in self.data["caches"]["rows"]]
        for i, one in enumerate(self.data["time"]["caches"]):
            if one:
                caches[names[i] if i < len(self.data["time"]["caches"]) - 1 else ""] = \
                    (one[4][1] if len(one) > 4 else 0) + sum(one[1][:part + 1]) - sum(one[3][:part + 1])
        return sum(caches.values()), caches


# ---------------------------------------------------------------- what stands where
