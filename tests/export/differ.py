# SPDX-License-Identifier: GPL-2.0
"""How two tables differ: the expected one and what was found."""


def counts(key, value):
    """Exports leave out rows of zeros. An answer that has no key but "" is there, also if it is zero."""
    return key == "" or (any(value) if isinstance(value, tuple) else bool(value))


def differences(what, expected, found):
    """How many rows differ, and the first of them as text."""
    lines = [] if expected or what == "may be empty" else [f"{what}: there is nothing to compare"]
    expected, found = ({k: v for k, v in t.items() if counts(k, v)} for t in (expected, found))
    wrong = [k for k in sorted(set(expected) | set(found), key=repr) if expected.get(k) != found.get(k)]
    n = len(lines) + len(wrong)
    lines += [f"{what}: {key!r}: expected {expected.get(key)}, found {found.get(key)}" for key in wrong[:3]]
    return n, lines
