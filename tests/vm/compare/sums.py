# SPDX-License-Identifier: GPL-2.0
"""
The sums of a trace, counted from its packets by ltfile: for each CPU, class and packet,
the events seen are those written, lost and filtered.
"""
from collections import Counter

import ltfile


def check(trace, faults):
    """
    Checks the sums of one channel at each packet. Returns a Counter: what the last
    packets say, by (name of the count, class); records by ("records", class); and
    "packets" and "sums_checked".
    """
    schema, found = trace.schema, Counter()
    for cpu, packets in trace.streams.items():
        where, records = "%s of cpu %d" % (schema.name, cpu), Counter()
        for n, p in enumerate(packets):
            if not faults.check(p.seq == n, "missing packet", "%s: packet %d" % (where, n)):
                return found
            for id_, _, _, _ in p.records(schema):
                records[schema.class_of[id_]] += 1
            check_packet(p, schema, records, faults, "%s packet %d" % (where, n))
            found["sums_checked"] += len(schema.classes)
        faults.check(packets[-1].flags & 1, "the last packet is missing", where)
        for name, c in schema.classes.items():
            values = dict(zip(ltfile.COUNT_NAMES, packets[-1].counts(c)))
            for key, value in values.items():
                found[key, name] += value
            found["records", name] += records[c]
            check_stats(trace, cpu, name, values, faults)
        found["packets"] += len(packets)
    return found


def check_packet(p, schema, records, faults, where):
    lost_all = 0
    for name, c in schema.classes.items():
        seen, *lost, filtered = p.counts(c)
        lost_all += sum(lost)
        faults.check(seen == records[c] + sum(lost) + filtered, "sum",
                     "%s class %s: seen %d, but %d records, %s lost, %d filtered" %
                     (where, name, seen, records[c], lost, filtered))
    faults.check(lost_all == p.discarded, "lost",
                 "%s: %d lost, the header says %d" % (where, lost_all, p.discarded))


def check_stats(trace, cpu, name, values, faults):
    """The module's own last counts of one class of one CPU, if it has written them."""
    key = ["cpu", str(cpu), "class", name]
    for line in trace.text(ltfile.STATS, -1).splitlines():
        words = line.split()
        if words[:4] == key:
            stats = {k: int(v) for k, v in zip(words[4::2], words[5::2])}
            faults.check(stats == values, "stats", "cpu %d class %s: stats %s, packets %s" %
                         (cpu, name, stats, values))
            return
    faults.check(not values["seen"], "not in stats", "cpu %d class %s" % (cpu, name))


def lost(found, name=None):
    """The lost events of a class; of all classes without a name."""
    return sum(n for key, n in found.items() if isinstance(key, tuple) and
               key[0] in ltfile.COUNT_NAMES[1:5] and name in (None, key[1]))


def total(found, count):
    return sum(n for key, n in found.items() if isinstance(key, tuple) and key[0] == count)
