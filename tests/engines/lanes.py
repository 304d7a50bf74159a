#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: lanes.py SVG TASKS [NAME...]

What a picture of `lifetrace tree --svg` has: bars of so many TASKS, with those that it says are not drawn,
within the picture, none over another one in its lane; and the bars or words NAME. Exit status: 0: it is so.
"""
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def main(path, tasks, *names):
    root = ET.parse(path).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    text = "\n".join(element.text or "" for element in root.iter(f"{SVG}text"))
    titles = [element.text for element in root.iter(f"{SVG}title")][1:]
    lanes, drawn, wrong = {}, 0, []
    for rect in root.iter(f"{SVG}rect"):
        title = rect.find(f"{SVG}title")
        if title is None:
            continue
        many = re.search(r": (\d+) tasks$", title.text)
        drawn += int(many.group(1)) if many else 1
        x, y, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        if x < 0 or y < 0 or w <= 0 or h <= 0 or x + w > width or y + h > height:
            wrong.append(f"outside: {title.text}")
        lanes.setdefault(y, []).append((x, x + w, title.text))
    for bars in lanes.values():
        bars.sort()
        # A bar is half a point wide at the least.
        wrong += [f"over each other: {a[2]}, {b[2]}" for a, b in zip(bars, bars[1:]) if b[0] < a[1] - 0.51]
    left_out = re.search(r"; (\d+) more at once", text)
    drawn += int(left_out.group(1)) if left_out else 0
    if drawn != int(tasks):
        wrong.append(f"{drawn} tasks, expected {tasks}")
    wrong += [f"no {name!r}" for name in names if not any(name in title for title in titles) and name not in text]
    print("\n".join(wrong[:5]) or f"ok {drawn} tasks in {len(lanes)} lanes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
