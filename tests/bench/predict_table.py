#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""predict_table.py DIR: what workloads/README.md says of data for models, from the sets of Linux 6.1 (CFS) and 6.12 (EEVDF)
that picknext vm -o DIR recorded: the sizes of the dataset, what picknext predict says of it with three tests, and what the TCN
and LSTM of predict_models.py learn with the first. Needs Debian's python3-torch, node and npm. PICKNEXT names the program,
PREDICT_SECONDS how long each network learns (1500), PREDICT_MODELS a file with what predict_models.py printed before,
PREDICT_NPM a directory whose node_modules has @duckdb/node-api."""
import csv
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PICKNEXT = os.environ.get("PICKNEXT", "build/picknext")
SECONDS = os.environ.get("PREDICT_SECONDS", "1500")
PYTHON = "/usr/bin/python3"  # Debian's, which has python3-torch
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATASETS = {"category": "category", "to EEVDF": "kernel={eevdf}", "to CFS": "kernel={cfs}"}
COLUMNS = (("category", "test_seen"), ("category", "test_unseen"), ("to EEVDF", "test_unseen"), ("to CFS", "test_unseen"))
PREDICTORS = ("constant", "majority", "last_successor", "markov2_cpu", "ppm_c_cpu", "uniform", "longest_waiting", "least_runtime",
              "highest_priority", "cfs_rule", "eevdf_rule")
NETWORKS = "Tcn", "Lstm"
LEARNT = "category"  # the dataset of the networks


def output_of(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def build(directory, hold_out, sets):
    output_of(PICKNEXT, "build", "-q", "--task", "decision", "--card", "-o", directory, "--max-rows-per-workload", "15000",
              "--hold-out", hold_out, *sets)
    return list(csv.DictReader(output_of(PICKNEXT, "predict", "-q", "--csv", directory).splitlines()))


def decisions(rows, part, workload, predictor):
    """What the predictor did where there was a choice."""
    return next(row for row in rows if (row["part"], row["workload"], row["predictor"], row["target"], row["of"]) ==
                (part, workload, predictor, "decision", "choice"))


def percent(share):
    return f"{100 * float(share):.1f}"


# --- The dataset ---


def size(bytes_in_all):
    return f"{bytes_in_all / 1e6:.1f} MB"


def parquet_bytes(directory, scratch):
    """Of all.csv, converted by the recipe."""
    npm = os.environ.get("PREDICT_NPM")
    if not npm:
        npm = os.path.join(scratch, "npm")
        os.mkdir(npm)
        output_of("npm", "install", "--silent", "--no-audit", "--no-fund", "@duckdb/node-api", cwd=npm)
    # Modules are looked for beside the script.
    script = shutil.copy(os.path.join(TOP, "workloads", "parquet.mjs"), scratch)
    os.symlink(os.path.join(npm, "node_modules"), os.path.join(scratch, "node_modules"))
    output_of("node", script, directory)
    return os.path.getsize(os.path.join(directory, "all.parquet"))


def print_sizes(directory, scratch):
    """Returns what is held out."""
    with open(os.path.join(directory, "dataset_meta.json"), encoding="utf-8") as file:
        meta = json.load(file)
    with open(os.path.join(directory, "all.csv"), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    traces = meta["traces"]
    kept = [trace for trace in traces if not trace["left_out"]]
    choices = sum(trace["decisions_with_choice"] for trace in kept)
    unseen = meta["novelty"]["test_unseen"]
    seeds = max(int(re.search(r"_run(\d+)-", trace["trace_id"]).group(1)) for trace in traces)
    print(f"Seeds 1 to {seeds}: {len(kept)} of {len(traces)} traces, {meta['total_events']:,} decisions, {choices:,} of them with more than one "
          f"candidate. all.csv has {size(meta['files']['all.csv']['bytes'])}, as Parquet with zstd "
          f"{size(parquet_bytes(directory, scratch))}. SHA-256 of all.csv with `--hold-out category`:\n`{digest}`.\n"
          f"Held out: {meta['held_out']}; in {percent(unseen['next_role']['unseen_rows_share'])} % of test_unseen.csv's rows the "
          f"role is not in train.csv, in {percent(unseen['next_name']['unseen_rows_share'])} % the name.\n")


# --- The tables ---


def networks(directory):
    """{(part, network): (percent of right decisions, mean over workloads, how it learnt)}"""
    if "PREDICT_MODELS" in os.environ:
        with open(os.environ["PREDICT_MODELS"], encoding="utf-8") as file:
            table = file.read()
    else:
        table = output_of(PYTHON, os.path.join(TOP, "tests/bench/predict_models.py"), directory, "--seconds", SECONDS,
                          "--picknext", PICKNEXT)
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    return {(row[0], row[1]): tuple(row[4:7]) for row in rows if len(row) == 7 and row[1] in NETWORKS}


def print_decisions(found, learnt):
    """Returns the best percents of each column, over all rows and as a mean."""
    print("| predictor | category, test_seen | category, test_unseen | to EEVDF, test_unseen | to CFS, test_unseen |")
    print("|---|--:|--:|--:|--:|")
    print("| rows | " + " | ".join(f"{int(decisions(found[name], part, 'all', 'constant')['rows']):,}" for name, part in COLUMNS) + " |")
    best = {column: [0.0, 0.0] for column in COLUMNS}
    for predictor in PREDICTORS:
        cells = []
        for name, part in COLUMNS:
            shares = [percent(decisions(found[name], part, workload, predictor)["top1"]) for workload in ("all", "macro")]
            best[name, part] = [max(float(share), old) for share, old in zip(shares, best[name, part])]
            cells.append(f"{shares[0]} ({shares[1]})")
        print(f"| `{predictor}` | " + " | ".join(cells) + " |")
    for network in NETWORKS:
        cells = ["{} ({})".format(*learnt[part, network]) if name == LEARNT else "" for name, part in COLUMNS]
        print(f"| {network.upper()} | " + " | ".join(cells) + " |")
    return best


def print_networks(best, learnt):
    columns = [column for column in COLUMNS if column[0] == LEARNT]
    for network in NETWORKS:
        beaten = [sum(float(learnt[part, network][which]) > best[name, part][which] for name, part in columns) for which in (0, 1)]
        print(f"- The {network.upper()} beats the best predictor of the table in {beaten[0]} of its {len(columns)} columns, and "
              f"in {beaten[1]} as the mean. It learnt with {learnt['test_unseen', network][2]} of CPU time.")


def print_between(rows):
    """What is learnt of one scheduler, for the other."""
    print("\nOf the first dataset, rows learnt on the one scheduler and used for the other, percent of right decisions as the "
          "mean over workloads:\n")
    print("| `markov2_cpu` learnt on | EEVDF's decisions | CFS's decisions |\n|---|--:|--:|")
    between = {(row["learnt_on"], row["scheduler"], row["predictor"]): percent(row["top1"]) for row in rows
               if row["part"] == "tests" and row["workload"] == "macro"}
    for learnt_on in "EEVDF", "CFS":
        print(f"| {learnt_on} | " + " | ".join(between.get((learnt_on, scheduler, "markov2_cpu"), "-") for scheduler in ("EEVDF", "CFS")) + " |")
    print("| chance (`uniform`) | " + " | ".join(between.get(("CFS", scheduler, "uniform"), "-") for scheduler in ("EEVDF", "CFS")) + " |")


def main():
    sets = sorted(glob.glob(os.path.join(sys.argv[1], "6.*")))
    releases = {"cfs": next(name for name in map(os.path.basename, sets) if name.startswith("6.1.")),
                "eevdf": next(name for name in map(os.path.basename, sets) if name.startswith("6.12."))}
    found, learnt = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, hold_out in DATASETS.items():
            directory = os.path.join(scratch, name.replace(" ", "-"))
            found[name] = build(directory, hold_out.format(**releases), sets)
            if name == LEARNT:
                print_sizes(directory, scratch)
                learnt = networks(directory)
    best = print_decisions(found, learnt)
    print()
    print_networks(best, learnt)
    print_between(found[LEARNT])


if __name__ == "__main__":
    main()
