#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: flameview.py TOOL TRACE WORK

Whether a flame graph works in Chromium without a screen: no error; a click zooms and Escape ends
that; a search marks what matches, with the sum that the collapsed stacks have. Prints what
differs. Exit status 77: Chromium is missing.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

# What a person would do, and what is there then.
DRIVE = """<script><![CDATA[
addEventListener('load', () => {
  const out = {}, nodes = [...document.querySelectorAll('g.n')];
  const shown = () => nodes.filter((g) => g.style.display !== 'none' && g.getBoundingClientRect().width > 0);
  const rect = (g) => [g.querySelector('rect').getAttribute('x'), g.querySelector('rect').getAttribute('width')].map(Number);
  const click = (g) => g.querySelector('rect').dispatchEvent(new MouseEvent('click', {bubbles: true}));
  const press = (...keys) => keys.forEach((key) => document.dispatchEvent(new KeyboardEvent('keydown', {key})));
  const say = () => document.getElementById('say').textContent;
  const places = () => nodes.map(rect).map((r) => r.map((n) => n.toFixed(2)).join());
  const before = places();
  out.all = shown().length;
  const deep = nodes.reduce((a, g) => { let n = 0; for (let p = g; p; p = p.parentNode) n++; return n > a[0] ? [n, g] : a; }, [0, null])[1];
  click(deep);
  out.zoomed = rect(deep);
  out.few = shown().length;
  let up = 0;
  for (let p = deep; p.classList && p.classList.contains('n'); p = p.parentNode) up++;
  out.above = up;
  press('Escape');
  out.back = places().every((p, i) => p === before[i]) && shown().length === out.all;
  press('ArrowDown', 'ArrowDown', 'Enter');
  out.walked = rect(nodes[1]);
  press('Escape', '/', ...'TERMX', 'Backspace', 'Enter');
  out.search = say();
  out.hits = document.querySelectorAll('g.hit').length;
  press('/', '[', 'Enter');
  out.wrong = say();
  press('Escape');
  out.after = document.querySelectorAll('g.hit').length;
  out.errors = errors;
  out.requests = performance.getEntriesByType('resource').length;
  const text = document.createElementNS('http://www.w3.org/2000/svg', 'desc');
  text.id = 'result';
  text.textContent = JSON.stringify(out);
  document.documentElement.append(text);
});
]]></script></svg>
"""
TERM = "kmalloc-.*4$|function_1[0-4]$"
EARLY = "<script>const errors = []; addEventListener('error', (e) => errors.push(e.message));</script><title>"


def show(svg, work):
    path = os.path.abspath(os.path.join(work, "flame.svg"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg.replace("<title>", EARLY, 1).replace("</svg>", DRIVE.replace("TERM", TERM)))
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
         f"--user-data-dir={work}/chromium", "--dump-dom", "file://" + path],
        capture_output=True, check=True, timeout=120, env=dict(os.environ, HOME=os.path.abspath(work)))
    found = re.search(r'<desc id="result">(.*?)</desc>', done.stdout.decode(), re.S)
    if not found:
        sys.exit("flame graph: no result: " + done.stderr.decode()[-400:])
    return json.loads(html.unescape(found[1]))


def main():
    tool, trace, work = sys.argv[1:]
    if not shutil.which("chromium"):
        sys.exit(77)
    svg, lines = (subprocess.run([tool, "export", f"--format={format_}", "--metric=churn", "-o", "-", trace],
                                 capture_output=True, check=True).stdout.decode()
                  for format_ in ("flamegraph", "collapsed"))
    total = matching = 0
    for line in lines.splitlines():
        stack, number = line.rsplit(" ", 1)
        total += int(number)
        matching += int(number) if any(re.search(TERM, frame) for frame in stack.split(";")) else 0
    out = show(svg, work)
    problems = [f"{what}: {out}" for what, good in (
        ("an error", not out["errors"]), ("a request", out["requests"] == 0),
        ("zoom does not fill the width", out["zoomed"] == [10, 1180]),
        ("zoom shows more than the frame and its callers", out["few"] == out["above"]),
        ("Escape does not end zoom", out["back"]), ("arrows and Enter do not zoom", out["walked"] == [10, 1180]),
        ("the sum of a search", f"with {matching:,} allocations, {100 * matching / total:.2f} %" in out["search"]),
        ("marks", 0 < matching < total and out["hits"] > 0 and out["after"] == 0),
        ("a wrong expression is not said to be one", "SyntaxError" in out["wrong"])) if not good]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
