# SPDX-License-Identifier: MIT
"""Rows that picknext predict answers in a second, of switches and of decisions, of real traces and at worst, beside the exact
Python reference of the tests, and beside cat of the same files."""
import csv
import json
import os
import shutil
import subprocess
import sys

import recordings
from bench_support import NotHere, PICKNEXT, TOP, measure

SUPPORT = TOP / "tests/support"
TASKS = "30"  # names that a machine has at work
GOAL_ROWS_PER_S = 5e6


def parts_of(directory):
    return [directory / f"{part}.csv" for part in ("train", "test_seen", "test_unseen")]


def rows_of(directory):
    """Those that are learnt and those that are predicted."""
    with open(directory / "dataset_meta.json", encoding="utf-8") as file:
        return sum(part["rows"] for name, part in json.load(file)["files"].items() if name != "all.csv")


def build(bench, name, raw, *options):
    out = bench.scratch / "predict" / name
    subprocess.run([PICKNEXT, "build", "-q", "--raw-dir", raw, "-o", out, *options], check=True, stderr=subprocess.DEVNULL)
    (out / "all.csv").unlink()
    return out


def switches(bench):
    """switches of real traces"""
    return build(bench, "switches", recordings.short(bench) / "raw")


def decisions(bench):
    """decisions of real traces"""
    # Two runs of each workload.
    raw = bench.scratch / "predict" / "raw"
    raw.mkdir(parents=True)
    for run in 0, 1:
        for path in (recordings.short(bench) / "raw").glob(f"*_run{run}.*"):
            (raw / path.name).symlink_to(path.resolve())
    return build(bench, "decisions", raw, "--task", "decision")


def random_switches(bench):
    """switches between random tasks"""
    rows = 200_000 if bench.quick else 4_000_000
    raw = bench.scratch / "predict" / "random"
    raw.mkdir(parents=True)
    subprocess.run(["make", "-s", "-C", TOP, "build/tools/make_many"], check=True)
    for number in range(4):
        subprocess.run([TOP / "build/tools/make_many", raw / f"w{number}_x_run1.dat", "4", TASKS, str(rows // 4)], check=True)
    out = build(bench, "random_switches", raw)
    shutil.rmtree(raw)
    return out


def reference(bench, directory):
    """CPU seconds a row of the Python reference, of the same figures."""
    results = bench.scratch / "predict" / "results.csv"
    with open(results, "w", encoding="utf-8") as file:
        subprocess.run([PICKNEXT, "predict", "-q", "--csv", directory], check=True, stdout=file)
    return measure([sys.executable, SUPPORT / "reference_predict.py", "compare", directory, results], 1).cpu() / rows_of(directory)


def shorter(directory, lines):
    """A copy with the first lines of each part: the reference is slow."""
    copy = directory.with_name(directory.name + "-short")
    copy.mkdir()
    total = {}
    for part in "train", "test_seen", "test_unseen":
        with open(directory / f"{part}.csv", encoding="latin-1", newline="") as file:
            kept = [line for line, _ in zip(file, range(lines + 1))]
        (copy / f"{part}.csv").write_text("".join(kept), encoding="latin-1", newline="")
        total[f"{part}.csv"] = {"rows": len(kept) - 1}
    (copy / "dataset_meta.json").write_text(json.dumps({"files": total}))
    return copy


def cat_beside(bench, directory):
    """Megabytes, and CPU seconds of cat."""
    files = parts_of(directory)
    return sum(path.stat().st_size for path in files) / 1e6, measure(["cat", *files], bench.runs(5), warm_up=1).cpu()


def add(bench, what, directory, options=(), python_s=None):
    rows = rows_of(directory)
    ours = measure([PICKNEXT, "predict", "-q", "--csv", *options, directory], bench.runs(5), warm_up=1)
    megabytes, cat_s = cat_beside(bench, directory)
    theirs = f"cat: {megabytes / cat_s:.0f} MB/s"
    if python_s:
        theirs = f"reference in Python: {1 / python_s:.0f} rows/s; {theirs}"
    return bench.add(f"predict, {what}", f"{rows / ours.cpu() / 1e6:.2f} M rows/s, {megabytes / ours.cpu():.0f} MB/s", theirs,
                     python_s * rows / ours.cpu() if python_s else None, None, ours.cpu_s, rows=rows, cpu_s=ours.cpu(),
                     megabytes=megabytes, cat_s=cat_s)


def slowest(bench, what, directory):
    """The predictors' own time, without reading."""
    table = subprocess.run([PICKNEXT, "predict", "-q", "--csv", directory], check=True, text=True, stdout=subprocess.PIPE).stdout
    found = [(float(row["prediction_ns"]), row["predictor"], row["target"]) for row in csv.DictReader(table.splitlines())
             if (row["part"], row["workload"], row["of"]) == ("test_unseen", "all", "any")]
    if not found:
        raise NotHere("no rows to predict")
    nanoseconds, predictor, target = max(found)
    bench.add(f"the slowest predictor, {what}", f"{nanoseconds:.0f} ns a prediction", f"{predictor}, {target}",
              prediction_ns=nanoseconds, median_ns=sorted(found)[len(found) // 2][0])


DATASETS = {make.__doc__: make for make in (switches, decisions, random_switches)}


def predict(bench, what):
    """predict"""
    directory = DATASETS[what](bench)
    python_s = reference(bench, shorter(directory, 500 if bench.quick else 3000))
    row = add(bench, f"{what}, all predictors", directory, (), python_s)
    if DATASETS[what] is switches:
        bench.goal(row, f"≥ {GOAL_ROWS_PER_S / 1e6:g} M rows/s", row.values["rows"] / row.values["cpu_s"] >= GOAL_ROWS_PER_S)
    add(bench, f"{what}, --baselines", directory, ("--baselines",))
    slowest(bench, what, directory)


def run(bench):
    """the predictors"""
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    (bench.scratch / "predict").mkdir()
    for what in DATASETS:
        bench.attempt(predict, what)
