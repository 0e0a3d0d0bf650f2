#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scheduler_table.py DIR: the table of workloads/README.md from the sets that picknext vm -o DIR recorded with --scheduler
none, builtin:fifo, scx_simple and scx_flatcg: medians of each workload under each scheduler. PICKNEXT names the program."""
import csv
import os
import subprocess
import sys

PICKNEXT = os.environ.get("PICKNEXT", "build/picknext")
ORDER = "picknext_fifo", "simple", "flatcg"
METRICS = "throughput_per_s", "involuntary_share", "slice_p50_us", "wakeup_latency_p50_us"


def read(directory):
    """{workload: {metric: {scheduler: median}}} and the number of runs; the kernel's own scheduler is ""."""
    out = subprocess.run([PICKNEXT, "compare", "--csv", "-q", directory], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    found, runs = {}, set()
    for row in csv.DictReader(out.stdout.splitlines()):
        values = found.setdefault(row["workload"], {}).setdefault(row["figure"], {})
        values[""] = float(row["base_median"] or "nan")
        name = row["head"].rsplit("+", 1)[-1]
        values[name] = float(row["head_median"] or "nan")
        if row["figure"] == "throughput_per_s":
            runs |= {int(row["base_runs"]), int(row["head_runs"])}
    return found, runs


def short(value):
    if value != value:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main():
    found, runs = read(sys.argv[1])
    seeds = f"{min(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"
    print(f"Medians of {seeds} seeds, kernel's own scheduler (EEVDF), then builtin:fifo / simple / flatcg:\n")
    print("| workload | throughput, change in % | preemptions, % of switches | slice p50, us | wakeup latency p50, us |")
    print("|---|---|---|---|---|")
    for workload, metrics in found.items():
        own = metrics["throughput_per_s"]
        cells = [" / ".join(f"{100 * (own[name] / own[''] - 1):+.1f}" for name in ORDER)]
        for metric in METRICS[1:]:
            values = metrics.get(metric, {})
            nan = float("nan")
            cells.append(short(values.get("", nan)) + " → " + " / ".join(short(values.get(n, nan)) for n in ORDER))
        print(f"| {workload} | " + " | ".join(cells) + " |")


main()
