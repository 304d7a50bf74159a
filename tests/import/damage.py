#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: damage.py LIFETRACE FILE DIR N [SEED] [-- WRAPPER...]

Imports FILE cut off, and with bytes changed, N times each. Each import must end with status 0 and a trace
that `lifetrace verify` passes, or with 2, a message and no file. WRAPPER runs the import: valgrind, say.
Prints "ok N read, N refused, N crashed in the child".
"""
import os
import random
import subprocess
import sys


def mutations(data, n, rng):
    for _ in range(n):
        yield data[:rng.randrange(len(data))]
    for _ in range(n):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 8, 64])):
            # Headers are where it hurts.
            end = rng.choice([64, 4096, len(data), len(data)])
            damaged[rng.randrange(min(end, len(data)))] = rng.choice([0, 0xff, 0x7f, 0x80, rng.randrange(256)])
        yield bytes(damaged)


def main(tool, path, folder, n, seed, wrapper):
    with open(path, "rb") as file:
        data = file.read()
    counts = [0, 0, 0]
    bad, out = f"{folder}/damaged", f"{folder}/damaged.lt"
    for number, damaged in enumerate(mutations(data, n, random.Random(seed))):
        with open(bad, "wb") as file:
            file.write(damaged)
        done = subprocess.run([*wrapper, tool, "import", "--from=" + FROM, "-o", out, bad], capture_output=True,
                              encoding="utf-8", errors="replace", timeout=300, check=False)
        left = [name for name in os.listdir(folder) if name.startswith("damaged.lt")]
        if done.returncode == 0 and left == ["damaged.lt"]:
            counts[0] += 1
            verify = subprocess.run([tool, "verify", out], capture_output=True, check=False)
            os.unlink(out)
            if verify.returncode:
                sys.exit(f"{number}: verify of what was read ends with {verify.returncode}: {verify.stdout[-300:]}")
        elif done.returncode == 2 and not left and done.stderr.startswith("lifetrace: "):
            counts[2 if "ended by signal" in done.stderr else 1] += 1
        else:
            sys.exit(f"{number}: status {done.returncode}, files {left}: {done.stderr[-1000:]}")
    print("ok {} read, {} refused, {} crashed in the child".format(*counts))


if __name__ == "__main__":
    WRAPPER = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    ARGS = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    if len(ARGS) not in (4, 5):
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    FROM = os.environ.get("FROM", "trace-cmd")
    main(*ARGS[:3], int(ARGS[3]), int(ARGS[4]) if len(ARGS) > 4 else 1, WRAPPER)
