#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A fault for shellcheck, which has to report it.
unused=1
