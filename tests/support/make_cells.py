#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_cells.py SET OUT SETS RUNS: a directory OUT as picknext vm makes it, of SETS sets with RUNS cells each, all copies of
the first cell of SET, with empty traces of the right length."""
import copy
import json
import os
import sys

source, out, sets, runs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(f"{source}/plan.json") as file:
    plan = json.load(file)
first = plan["runs"][0]
with open(f"{source}/cells/run{first}.json") as file:
    cell = json.load(file)
for number in range(1, sets + 1):
    place = f"{out}/k{number}"
    os.makedirs(f"{place}/raw")
    os.makedirs(f"{place}/cells")
    with open(f"{place}/plan.json", "w") as file:
        json.dump(plan | {"plan": f"k{number}", "runs": list(range(1, runs + 1))}, file, indent=2)
    for run in range(1, runs + 1):
        made = copy.deepcopy(cell)
        made["boots"][0]["run"] = run
        for entry in made["files"]:
            entry["name"] = entry["name"].replace(f"_run{first}.", f"_run{run}.")
            with open(f"{place}/raw/{entry['name']}", "wb") as file:
                file.truncate(entry["bytes"])
        with open(f"{place}/cells/run{run}.json", "w") as file:
            json.dump(made, file, indent=2)
