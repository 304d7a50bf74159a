#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
usage: join.py DIR FILE

Makes one FILE of the parts of a recording, in DIR: that which a recording without cuts would
have written. It has the first texts of the first part, each packet once, and the last texts of
the last part; nothing of a cut. It knows nothing of what the reader does with parts.
"""
import glob
import os
import sys

import ltfile

STATE, PART = 14, 15


def main(directory, path):
    head, packets, first, last, seen = None, [], [], [], set()
    for name in sorted(glob.glob(os.path.join(directory, "*.lt"))):
        head, blocks = ltfile.read(name)
        begun = False
        last = [b for b in blocks if b.type in (ltfile.INDEX, ltfile.TRAILER)]
        texts = []
        for b in blocks:
            if b.type == ltfile.PACKET:
                begun = True
                p = ltfile.Packet(b.payload)
                key = p.session, p.channel, p.cpu, p.seq
                if key not in seen:
                    seen.add(key)
                    packets.append(b)
            elif b.type in (PART, STATE, ltfile.INDEX, ltfile.TRAILER):
                continue
            elif begun:
                texts.append(b)
            elif not packets:
                first.append(b)
        last = texts + last
    ltfile.write(path, head, first + packets + last)
    print("packets", len(packets))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
