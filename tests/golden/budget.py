#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: budget.py TOOL TRACE...

Budgets, against the columns of `report`: for each cache, function and program, and each metric,
a rule that the metric equals the number in `report --csv` is met, and one that it is greater is
broken. Where something is lost or uncertain, neither a rule that the metric is at least what is
certain may be broken, nor one that it is less be met. Prints what differs; the last line is
"N passed, N failed"."""
import csv
import io
import json
import re
import subprocess
import sys
import tempfile

TOOL = sys.argv[1]
COUNTS = ("allocations bytes slack_bytes alive alive_bytes maybe_alive maybe_alive_bytes peak_alive peak_bytes "
          "short_lived freed_at_once long_lived other_cpu other_context outlives exact censored").split()
TIMES = "p50_ns p90_ns p99_ns longest_ns".split()
# What the report counts, though it may have been freed.
UPPER = "peak_alive peak_bytes".split()


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=False)


def table(trace, by):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", "--csv", trace).stdout)))


def rules(trace):
    """(selector, row) of all rows that a selector can name."""
    for row in table(trace, "cache"):
        if re.fullmatch(r"[\w.-]+", row["cache"]):
            yield f'{{cache="{row["cache"]}"}}', row
    functions = {}
    for row in table(trace, "site"):
        functions.setdefault(row["site"].split("+")[0], []).append(row)
    for name, found in functions.items():
        if len(found) == 1 and re.fullmatch(r"\w+", name) and not name.startswith("0x"):
            yield f'{{site=~".*", site="{name}"}}', found[0]


def main():
    passed = failed = 0
    for trace in sys.argv[2:]:
        sure = json.loads(run("report", "--json", trace).stdout)
        sure = not (sure["lost"] or sure["missed"] or sure["filtered"] or sure["uncertain"] or sure["bounded"])
        text, expected = "", []
        for selector, row in rules(trace):
            for metric in COUNTS + TIMES:
                if not row[metric]:
                    continue
                unit = "ns" if metric in TIMES else ""
                for relation, verdict in (("==", "met"), (">", "broken"), (">=", "met"), ("<", "broken")):
                    text += f"{metric}{selector} {relation} {row[metric]}{unit}\n"
                    expected.append((metric, relation, verdict))
        with tempfile.NamedTemporaryFile("w", suffix=".budget") as file:
            file.write(text)
            file.flush()
            result = run("check", "--budget", file.name, "--json", trace)
        found = json.loads(result.stdout)["rules"]
        if len(found) != len(expected) or not expected:
            print(f"FAILED {trace}: {len(found)} verdicts on {len(expected)} rules: {result.stderr}")
            failed += 1
        for (metric, relation, verdict), rule in zip(expected, found):
            right = rule["verdict"] == verdict
            if not sure:
                loose = metric in TIMES or metric in UPPER
                right = rule["verdict"] in ("unknown", verdict) or loose
                right &= not (relation == ">=" and not loose and rule["verdict"] != "met")
            passed += right
            failed += not right
            if not right and failed < 20:
                print(f"FAILED {trace}: {rule['rule']}: {rule['verdict']}, {rule['low']} to {rule['high']}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
