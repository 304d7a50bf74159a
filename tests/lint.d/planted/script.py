# SPDX-License-Identifier: GPL-2.0
"""Faults for pyflakes, which has to report them."""
import os

print(undefined)
