# SPDX-License-Identifier: GPL-2.0
"""What reports and leaks say of a sample, as it was recorded: exports, tables and the page do not make up for it."""

COUNTS = ("allocations", "bytes", "slack_bytes", "alive", "alive_bytes", "maybe_alive", "maybe_alive_bytes",
          "peak_alive", "peak_bytes", "short_lived", "freed_at_once", "long_lived", "other_cpu", "other_context",
          "outlives", "exact", "censored", "old", "old_bytes", "maybe_old", "maybe_old_bytes", "freed_late",
          "maker_gone", "maker_gone_bytes")
SUMS = ("peak_bytes", "own_allocations", "own_bytes", "own_alive_bytes")
RATES = ("rate_per_s", "growth_per_s", "growth_error_per_s", "growth_bytes_per_s")
INTERVALS = ("_se", "_low", "_high")


def divide(table, keys, one_in):
    for key in keys:
        if not table.get(key):
            continue
        if table[key] % one_in:
            raise ValueError(f"{key}: {table[key]} is no multiple of {one_in}")
        table[key] //= one_in


def as_recorded(report):
    """The report, or leaks, an object of JSON: each count without its weight, and without intervals."""
    one_in = report.pop("sample", 1)
    one_in = one_in["one_in"] if isinstance(one_in, dict) else one_in
    if one_in == 1:
        return report
    divide(report, SUMS, one_in)
    for row in report["rows"]:
        divide(row, COUNTS, one_in)
        for key in RATES:
            if row.get(key):
                row[key] = round(row[key] / one_in, 3)
        for key in [key for key in row if key.endswith(INTERVALS)]:
            del row[key]
    return report
