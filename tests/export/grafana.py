#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: grafana.py MODULES WORK

Whether the dashboards of share/grafana are what Grafana's own types of a dashboard and of its panels say: those
of @grafana/schema, by the compiler of TypeScript, which are both in the folder MODULES. So that it is known to see
them, faults are planted. Prints what is wrong.
"""
import copy
import glob
import json
import os
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
modules, work = (os.path.realpath(path) for path in sys.argv[1:])
# A text is as good as the word of an enumeration; of the options of a panel all have defaults.
HEAD = """import type { Dashboard } from "@grafana/schema";
import type * as stat from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type * as table from "@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen";
import type * as timeseries from
	"@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
type Plain<T> = T extends string ? `${T}` : T extends number | boolean | null | undefined ? T
	: T extends Array<infer U> ? Plain<U>[] : { [K in keyof T]: Plain<T[K]> };
"""


def declare(name, kind, value):
    return f"export const {name}: {kind} = {json.dumps(value, indent=1)};\n"


def faults(board):
    """What the compiler says of a dashboard."""
    text = HEAD + declare("dashboard", "Plain<Dashboard>", board)
    for n, panel in enumerate(board["panels"]):
        text += declare(f"options{n}", f"Partial<Plain<{panel.get('type', 'stat')}.Options>>", panel["options"])
        if "custom" in panel["fieldConfig"]["defaults"]:
            text += declare(f"custom{n}", f"Partial<Plain<{panel['type']}.FieldConfig>>",
                            panel["fieldConfig"]["defaults"]["custom"])
    path = os.path.join(work, "dashboard.ts")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    link = os.path.join(work, "node_modules")
    if not os.path.exists(link):
        os.symlink(os.path.join(modules, "node_modules"), link)
    done = subprocess.run(["node", os.path.join(modules, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict",
                           "--skipLibCheck", "--moduleResolution", "node", "--target", "es2020", "--preserveSymlinks",
                           path], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def planted(board):
    """Dashboards with one fault each."""
    for change in (lambda b: b.update(graphTooltip=7), lambda b: b["templating"]["list"][0].update(type="choice"),
                   lambda b: b["panels"][0].pop("type"), lambda b: b["panels"][0].update(colour="red"),
                   lambda b: b["panels"][0]["options"].update(colorMode="red"),
                   lambda b: next(p for p in b["panels"] if p["type"] == "timeseries")["fieldConfig"]["defaults"]
                   ["custom"].update(drawStyle="dots")):
        wrong = copy.deepcopy(board)
        change(wrong)
        yield wrong


def main():
    problems = 0
    for path in glob.glob(f"{TOP}/share/grafana/*.json"):
        with open(path, encoding="utf-8") as file:
            board = json.load(file)
        found = faults(board)
        ids = [panel["id"] for panel in board["panels"]]
        if len(ids) != len(set(ids)):
            found += f"two panels have one id: {ids}"
        if found:
            problems += 1
            print(f"{path}: {found}")
        for n, wrong in enumerate(planted(board)):
            if not faults(wrong):
                problems += 1
                print(f"{path}: the planted fault {n} is not seen")
    return 1 if problems else 0


sys.exit(main())
