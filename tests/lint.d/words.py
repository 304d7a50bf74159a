#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: words.py FILE...

Words that keep a sentence from being understood where it stands, in any text: see
CONTRIBUTING.rst, Words. A line of words.except that a finding matches, as a regular
expression, is an exception.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# Also inside identifiers. The classes [o] keep this file from reporting itself.
WORDS = [
    (r"(?<![a-z])(t[o]ld|t[e]ll(s|ing)?)(?![a-z])", "write, report, count or decide"),
    (r"\b(w[h]oever|w[h]om|w[h]omever)\b", "name the task, the function or the thing"),
    (r"\b(l[i]kewise|d[i]tto|as a[b]ove|s[e]e above)\b", "repeat the noun"),
]
# What a comment begins with. After a # only with a capital: the line before may be a
# part of the sentence.
C = r"/\*+\s*(?:\n\s*\*\s*)?(?i:"
LINE = r"^\s*(?://|#|\.\.|<!--)\s*(?:"
SAME = r"(?P<word>[Tt]he s[a]me\b|S[a]me (?:as|of|for|but|again|with|in|from|on)|And so (?:is|are|does|has)\b|" \
       r"The (?:one|other|first|last|former|latter) (?:before|above|below)))"
BEGINS = [C + SAME, LINE + SAME.replace("[Tt]he", "The")]


def findings(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        for pattern, instead in WORDS:
            for found in re.finditer(pattern, line, re.I):
                yield f"{path}:{number}: '{found[0]}': {instead}: {line.strip()[:70]}"
    for pattern in BEGINS:
        for found in re.finditer(pattern, text, re.M):
            number = text.count("\n", 0, found.start("word")) + 1
            yield f"{path}:{number}: begins with '{found['word']}': name what is repeated"


def main(paths):
    with open(f"{HERE}/words.except", encoding="utf-8") as file:
        allowed = [re.compile(line.strip()) for line in file if line.strip() and not line.startswith("#")]
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        if b"\0" in data:
            continue
        for finding in findings(path, data.decode("utf-8", "replace")):
            if not any(pattern.search(finding) for pattern in allowed):
                print(finding)


if __name__ == "__main__":
    main(sys.argv[1:])
