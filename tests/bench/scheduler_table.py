#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scheduler_table.py DIR: the tables of workloads/README.md from the sets that picknext vm -o DIR recorded with --scheduler
none, builtin:fifo, scx_simple and scx_flatcg: medians of each workload under each scheduler, and whether they are what the
schedulers' sources lead to expect. PICKNEXT names the program."""
import csv
import os
import subprocess
import sys

PICKNEXT = os.environ.get("PICKNEXT", "build/picknext")
OWN, FIFO, SIMPLE, FLATCG = "", "picknext_fifo", "simple", "flatcg"
OTHERS = FIFO, SIMPLE, FLATCG
METRICS = "throughput_per_s", "involuntary_share", "slice_p50_us", "wakeup_latency_p50_us"
HACKBENCH = "hackbench_pipe_small", "hackbench_pipe_large", "hackbench_socket_small", "hackbench_socket_large"
CPU_BOUND = "sysbench_cpu_4t", "sysbench_cpu_8t", "sysbench_memory_4t", "cpu_bound_4p", "cpu_bound_8p"
YIELDING = "sysbench_threads_8t", "sysbench_threads_16t"


def read(directory):
    """{workload: {metric: {scheduler: median}}}, the verdicts of throughput, and the numbers of runs."""
    out = subprocess.run([PICKNEXT, "compare", "--csv", "-q", directory], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    found, verdicts, runs = {}, {}, set()
    for row in csv.DictReader(out.stdout.splitlines()):
        values = found.setdefault(row["workload"], {}).setdefault(row["metric"], {})
        name = row["head"].rsplit("+", 1)[-1]
        values[OWN] = float(row["base_median"] or "nan")
        values[name] = float(row["head_median"] or "nan")
        if row["metric"] == "throughput_per_s":
            verdicts[row["workload"], name] = row["verdict"]
            runs |= {int(row["base_runs"]), int(row["head_runs"])}
    return found, verdicts, runs


def short(value):
    if value != value:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def change(values, name):
    return 100 * (values[name] / values[OWN] - 1)


def print_medians(found, verdicts, runs):
    seeds = f"{min(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"
    print(f"Medians of {seeds} seeds: the kernel's own scheduler (EEVDF), then builtin:fifo / simple / flatcg. (A "
          "change in parentheses is equal within 5 %, or unclear.)\n")
    print("| workload | throughput, change in % | preemptions, % of switches | slice p50, us | wakeup latency p50, us |")
    print("|---|---|---|---|---|")
    for workload, metrics in found.items():
        cells = []
        for name in OTHERS:
            text = f"{change(metrics['throughput_per_s'], name):+.1f}"
            cells.append(text if verdicts[workload, name] in ("better", "worse", "different") else f"({text})")
        row = [" / ".join(cells)]
        for metric in METRICS[1:]:
            values = metrics.get(metric, {})
            nan = float("nan")
            row.append(short(values.get(OWN, nan)) + " → " + " / ".join(short(values.get(n, nan)) for n in OTHERS))
        print(f"| {workload} | " + " | ".join(row) + " |")


# --- What the sources lead to expect: each returns whether the data agrees, and the values that show it ---


def of(found, metric, workloads, names):
    """All values of a metric, without the unknown ones."""
    values = [found[workload][metric][name] for workload in workloads for name in names if metric in found[workload]]
    return [value for value in values if value == value]


def between(values, unit=""):
    low, high = short(min(values)), short(max(values))
    return (low if low == high else f"{low} to {high}") + unit


def ratios(found, metric, workloads, above, below):
    return [found[w][metric][above] / found[w][metric][below] for w in workloads]


def no_preemption(found):
    own = of(found, "involuntary_share", HACKBENCH, [OWN])
    others = of(found, "involuntary_share", HACKBENCH, OTHERS)
    return max(others) < min(own) / 10, f"preemptions of hackbench: {between(own, ' %')} → {between(others, ' %')} of all switches"


def long_slices(found):
    own = of(found, "slice_p50_us", CPU_BOUND, [OWN])
    others = of(found, "slice_p50_us", CPU_BOUND, OTHERS)
    return (19000 <= min(others) and max(others) <= 24500,
            f"CPU-bound tasks run {between(own)} → {between(others)} us")


def fewer_switches(found):
    gains = [change(found[w]["throughput_per_s"], name) for w in HACKBENCH for name in OTHERS]
    return min(gains) > 0, f"hackbench does {between(gains)} % more work"


def one_queue(found):
    waits = ratios(found, "wakeup_latency_p50_us", HACKBENCH, FIFO, OWN)
    return min(waits) > 1, f"a wakeup of hackbench waits {between(waits)} times as long under fifo as under EEVDF"


def simple_favours(found):
    waits = ratios(found, "wakeup_latency_p50_us", HACKBENCH, FIFO, SIMPLE)
    return min(waits) > 2, f"a wakeup of hackbench waits {between(waits)} times as long under fifo as under simple"


def flatcg_is_like_simple(found):
    waits = ratios(found, "wakeup_latency_p50_us", HACKBENCH, FLATCG, SIMPLE)
    return (0.5 < min(waits) and max(waits) < 2,
            f"a wakeup of hackbench waits {between(waits)} times as long under flatcg as under simple")


def programs_cost(found):
    fifo = [change(found[w]["throughput_per_s"], FIFO) for w in YIELDING]
    programs = [change(found[w]["throughput_per_s"], name) for w in YIELDING for name in (SIMPLE, FLATCG)]
    return max(programs) < min(fifo), f"fifo {between(fifo)} %, simple and flatcg {between(programs)} %"


EXPECTED = (
    ("none of the three preempts on a wakeup", no_preemption),
    ("a slice lasts 20 ms (`SCX_SLICE_DFL`), and a tick of 4 ms ends it: 20 to 24 ms", long_slices),
    ("fewer switches make hackbench faster", fewer_switches),
    ("in fifo's one queue a task that wakes up waits for all that came before", one_queue),
    ("simple orders by weighted run time, so that who ran little comes first", simple_favours),
    ("flatcg orders like simple within a cgroup; here all tasks are in one", flatcg_is_like_simple),
    ("each `sched_yield()` and lock of sysbench_threads passes through a BPF program, whose instructions count in virtual "
     "time; fifo has no program", programs_cost),
)


def print_expectations(found):
    print("\n| the source leads to expect | the data |")
    print("|---|---|")
    for expectation, check in EXPECTED:
        agrees, values = check(found)
        print(f"| {expectation} | {'agrees' if agrees else '**does not agree**'}: {values} |")


def main():
    found, verdicts, runs = read(sys.argv[1])
    print_medians(found, verdicts, runs)
    print_expectations(found)


main()
