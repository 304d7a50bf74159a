#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whether differ.py compares answers of zero, and finds planted ones. Prints what is wrong."""
import sys

from differ import differences

CASES = [  # expected, found, how many rows differ
    ({"": 0}, {"": 0}, 0),
    ({"": 0}, {"": 5}, 1),
    ({"": 5}, {"": 0}, 1),
    ({"": 0}, {}, 1),
    ({"": 0}, {"": None}, 1),
    ({"": (0, 0)}, {"": (0, 0)}, 0),
    ({"": (0, 0)}, {"": (0, 7)}, 1),
    ({"bytes": 0, "objects": 0}, {"bytes": 0, "objects": 0}, 0),
    ({"bytes": 0, "objects": 0}, {"bytes": 0, "objects": 1}, 1),
    ({"a": 0, "b": 0}, {}, 0),  # an export leaves them out
    ({"a": 0, "b": 2}, {"b": 2}, 0),
    ({"a": 0, "b": 2}, {"a": 1, "b": 2}, 1),
    ({"a": 3, "b": 2}, {"a": 0, "b": 2}, 1),
    ({"a": (3, 0)}, {"a": (0, 0)}, 1),
    ({}, {}, 1),
]

wrong = [case for case in CASES if differences("planted", *case[:2])[0] != case[2]]
for case in wrong:
    print("expected, found, differences:", *case, "but:", differences("planted", *case[:2]))
if differences("may be empty", {}, {})[0]:
    print("a table that may be empty")
    wrong.append({})
sys.exit(1 if wrong else 0)
