#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_boots.py OUT SET... -- RUNS: a directory OUT as picknext vm makes it, of sets with RUNS boots each, whose traces
are empty."""
import json
import os
import sys

out, sets, runs = sys.argv[1], sys.argv[2:-2], int(sys.argv[-1])
IDENTITY = "a" * 64
for number, name in enumerate(sets):
    place = f"{out}/{name}"
    os.makedirs(f"{place}/raw")
    os.makedirs(f"{place}/boots")
    with open(f"{place}/vm.json", "w") as file:
        json.dump({"label": name, "number": number, "recipe": ["vm", f"--kernel={name}=x"], "runs": list(range(1, runs + 1)),
                   "deterministic": {"identity": IDENTITY}}, file)
    for run in range(1, runs + 1):
        trace = f"a_run{run}.dat"
        open(f"{place}/raw/{trace}", "wb").close()
        with open(f"{place}/boots/run{run}.json", "w") as file:
            json.dump({"run": run, "identity": IDENTITY, "end": "done", "traces": 1,
                       "files": [{"name": trace, "bytes": 0}]}, file)
