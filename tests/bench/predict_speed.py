# SPDX-License-Identifier: MIT
"""Rows that picknext predict answers in a second, of switches and of decisions, beside the exact Python reference of the tests."""
import csv
import json
import os
import shutil
import subprocess
import sys

from bench_support import NotHere, PICKNEXT, TOP, measure

SUPPORT = TOP / "tests/support"
TASKS = "30"  # names that a machine has at work
GOAL_ROWS_PER_S = 5e6


def rows_of(directory):
    """Those that are learnt and those that are predicted."""
    with open(directory / "dataset_meta.json", encoding="utf-8") as file:
        return sum(part["rows"] for name, part in json.load(file)["files"].items() if name != "all.csv")


def switches(bench):
    """rows of switches"""
    rows = 200_000 if bench.quick else 4_000_000
    raw, out = bench.scratch / "predict" / "raw", bench.scratch / "predict" / "switches"
    raw.mkdir(parents=True)
    subprocess.run(["make", "-s", "-C", TOP, "build/tools/make_many"], check=True)
    for number in range(4):
        subprocess.run([TOP / "build/tools/make_many", raw / f"w{number}_x_run1.dat", "4", TASKS, str(rows // 4)], check=True)
    subprocess.run([PICKNEXT, "build", "-q", "--raw-dir", raw, "-o", out], check=True, stderr=subprocess.DEVNULL)
    shutil.rmtree(raw)
    return out


def decisions(bench):
    """rows of decisions, of a random scheduler"""
    raw, out = bench.scratch / "predict" / "random", bench.scratch / "predict" / "decisions"
    raw.mkdir(parents=True)
    subprocess.run([sys.executable, SUPPORT / "reference_decisions.py", "make", raw, "1", "400" if bench.quick else "4000"],
                   check=True)
    subprocess.run([PICKNEXT, "build", "-q", "--raw-dir", raw, "-o", out, "--task", "decision", "--hold-out", "workload=random2"],
                   check=True)
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


def add(bench, what, directory, options, python_s):
    rows = rows_of(directory)
    ours = measure([PICKNEXT, "predict", "-q", "--csv", *options, directory], bench.runs(3), warm_up=1)
    theirs = f"reference in Python: {1 / python_s:.0f} rows/s" if python_s else ""
    row = bench.add(f"predict, {what}", f"{rows / ours.cpu() / 1e6:.2f} M rows/s", theirs,
                    python_s * rows / ours.cpu() if python_s else None, None, ours.cpu_s, rows=rows)
    if "--baselines" in options and what.startswith("switches"):
        bench.goal(row, f"≥ {GOAL_ROWS_PER_S / 1e6:g} M rows/s", rows / ours.cpu() >= GOAL_ROWS_PER_S)


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


def run(bench):
    """the predictors"""
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    for make in switches, decisions:
        directory = make(bench)
        python_s = reference(bench, shorter(directory, 500 if bench.quick else 3000))
        add(bench, f"{make.__name__}, all predictors", directory, (), python_s)
        add(bench, f"{make.__name__}, --baselines", directory, ("--baselines",), None)
        slowest(bench, make.__name__, directory)
