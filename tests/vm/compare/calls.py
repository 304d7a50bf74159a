# SPDX-License-Identifier: GPL-2.0
"""
Function calls of a trace as `lifetrace calls` prints them, and the values in their text.
"""
import json
import re

from common import lines

COLOURS = {"LTC_BLACK": -5, "LTC_RED": 1, "LTC_GREEN": 2, "LTC_BLUE": 77}
WORDS = {"true": 1, "false": 0, "NULL": 0, **COLOURS}
# What a value may look like: a text, a character, bytes, a number with names of its bits, a word.
VALUE = r'"(?:[^"\\]|\\.)*"(?:\.\.\.)?|\'(?:\\.|[^\'\\])\'|\[[^]]*\]|[^\s,;]+(?: \[[^]]*\])?'


def calls(program, path, *options):
    """Each call, a dict, in order of return."""
    for line in lines(program, "calls", "--absolute", "--json", *options, path):
        c = json.loads(line)
        # A backslash in a name is doubled there, besides JSON's own doubling.
        c["args"] = c["args"].replace("\\\\", "\\")
        yield c


def sums(program, path):
    """What `lifetrace calls --summary` says of each function."""
    return [json.loads(line) for line in lines(program, "calls", "--summary", "--self", "--json", path)]


def value(text):
    """A number, where it is one; else the text."""
    text = re.sub(r" \[.*\]$", "", text)
    if text in WORDS:
        return WORDS[text]
    if re.fullmatch(r"'[^\\]'", text):
        return ord(text[1])
    try:
        return int(text, 0)
    except ValueError:
        return text


def values(text, separator=r"[,;] "):
    """The values by their names."""
    found, at = {}, 0
    part = re.compile(r"\.?(?P<name>[^\s=]+)=(?P<value>%s)(?:%s|$)" % (VALUE, separator))
    text = text.strip().removeprefix("; ")
    while at < len(text):
        m = part.match(text, at)
        if not m or m["name"] in found:
            return {"not understood": text}
        found[m["name"]] = value(m["value"])
        at = m.end()
    return found
