#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: dhview.py TOOL TRACE WORK

Whether valgrind's dh_view.html, in Chromium without a screen, opens a DHAT export and shows the
sums of `report --json`: in all, alive at the peak and at the end, and of each program point.
Prints what differs. Exit status 77: a program is missing.
"""
import collections
import html
import json
import os
import re
import shutil
import subprocess
import sys

PAGE = "/usr/libexec/valgrind/dh_view.html"
# Gives the file to the page as a person would, and waits for what it makes of it.
DRIVE = """
<script>
const errors = [];
addEventListener("error", (e) => errors.push(String(e.message)));
const start = () => {
  const files = new DataTransfer();
  files.items.add(new File([%s], "export.json"));
  gInput.files = files.files;
  gInput.onchange();
  setTimeout(() => {
    const leaves = [];
    const walk = (node, above) => {
      const path = above.concat(node._frames.map((n) => gData.ftbl[n]));
      if (!node._kids)
        leaves.push([path, node._totalBlocks, node._totalBytes, node._totalLifetimes,
                     node._atTGmaxBytes, node._atTEndBytes]);
      for (const kid of node._kids || [])
        walk(kid, path);
    };
    if (gRoot)
      walk(gRoot, []);
    const out = document.createElement("pre");
    out.id = "result";
    out.textContent = JSON.stringify({errors, leaves, text: gMainDiv.innerText});
    document.body.replaceChildren(out);
  }, 3000);
};
/* Once the page has prepared itself. */
addEventListener("load", () => setTimeout(start));
</script>
"""


def show(data, work):
    """What the page makes of an export."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    page = page.replace('href="', f'href="file://{os.path.dirname(PAGE)}/')
    page = page.replace('src="', f'src="file://{os.path.dirname(PAGE)}/')
    text = json.dumps(data).replace("<", "\\u003c")
    path = os.path.join(work, "dh_view.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.replace("</head>", DRIVE % text + "</head>"))
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000",
         f"--user-data-dir={work}/chromium", "--dump-dom", "file://" + os.path.abspath(path)],
        capture_output=True, check=True, timeout=120, env=dict(os.environ, HOME=os.path.abspath(work)))
    found = re.search(r'<pre id="result">(.*)</pre>', done.stdout.decode(), re.S)
    if not found:
        sys.exit("dh_view.html: no result: " + done.stderr.decode()[-400:])
    return json.loads(html.unescape(found[1]))


def number(text, pattern):
    found = re.search(pattern, text)
    return int(found[1].replace(",", "")) if found else None


def main():
    tool, trace, work = sys.argv[1:]
    if not shutil.which("chromium") or not os.path.exists(PAGE):
        sys.exit(77)
    data = subprocess.run([tool, "export", "--format=dhat", "-o", "-", trace], capture_output=True,
                          check=True).stdout.decode()
    rows = json.loads(subprocess.run([tool, "report", "--by=cache", "--json", trace], capture_output=True,
                                     check=True).stdout)["rows"]
    sums = collections.Counter()
    for row in rows:
        sums.update({k: row[k] for k in ("allocations", "bytes", "peak_bytes", "alive_bytes")})
    shown = show(data, work)
    text, file = shown["text"], json.loads(data)
    found = {
        "bytes": number(text, r"Total: +([\d,]+) byte"),
        "allocations": number(text, r"Total: .* in ([\d,]+) block"),
        "peak_bytes": number(text, r"At t-gmax: +([\d,]+) byte"),
        "alive_bytes": number(text, r"At t-end: +([\d,]+) byte"),
    }
    problems = [f"{k}: expected {sums[k]}, dh_view shows {v}" for k, v in found.items() if v != sums[k]]
    problems += [f"error of the page: {e}" for e in shown["errors"]]
    if "How sure: of" not in text:
        problems.append("the page does not say how sure the lifetimes are")
    expected = {tuple(file["ftbl"][n] for n in p["fs"]): [p[f] for f in ("tbk", "tb", "tl", "gb", "eb")]
                for p in file["pps"]}
    leaves = {tuple(path[1:]): values for path, *values in shown["leaves"]}
    problems += [f"{path}: expected {expected.get(path)}, dh_view has {leaves.get(path)}"
                 for path in sorted(set(expected) | set(leaves)) if expected.get(path) != leaves.get(path)]
    print("\n".join(problems[:10]))
    sys.exit(1 if problems else 0)


main()
