# SPDX-License-Identifier: MIT
"""How often compare is wrong, and what it finds: deterministic guests of one kernel, whose runs differ in the seed only.
A/A: comparisons of sets that have nothing different. Power: sets that differ in base_slice_ns by 10 %, with HRTICK, so that
the slices of CPU-bound tasks differ by that. The sets are drawn from two pools of runs, recorded once, by a fixed seed.
PICKNEXT_SEEDS: how many seeds of each pool (default 40 and 20)."""
import os
import random
import tempfile
from pathlib import Path

from bench_support import NotHere
from guest_pools import compare, draw, held_metrics, is_shown, is_tested, record

COMPARISONS = 50
RUNS = 5, 6, 10  # of a set; compare needs five for a verdict, vm makes six
LINE = "6.12"
WORKLOADS = "hackbench_pipe_small,hackbench_socket_small"
BASE_SLICE_NS = 3000000
SLICES = "slice_mean_us,slice_p50_us,slice_p90_us,slice_p99_us".split(",")


def with_base_slice(workloads, nanoseconds):
    return ["-w", workloads, "--", "sh", "-c",
            "mount -t debugfs none /sys/kernel/debug 2>/dev/null; cd /sys/kernel/debug/sched; echo HRTICK >features; "
            f"echo {nanoseconds} >base_slice_ns; exec picknext run cpu_bound_4p --scale 0.03"]


def record_pools():
    count = int(os.environ.get("PICKNEXT_SEEDS", "40"))
    same, = record("same", [LINE], count, *with_base_slice(f"{WORKLOADS},exec:slices", BASE_SLICE_NS))
    other, = record("slices", [LINE], count // 2, *with_base_slice("exec:slices", BASE_SLICE_NS * 11 // 10))
    return same, other, count


def comparisons(first, first_seeds, second, second_seeds, runs, workloads, metrics):
    """COMPARISONS of them, each of `runs` seeds drawn from either pool; of one pool, sets without a common seed."""
    chance = random.Random(20261122)
    for _ in range(COMPARISONS):
        base = chance.sample(first_seeds, runs)
        others = [seed for seed in second_seeds if seed not in base] if first == second else second_seeds
        with tempfile.TemporaryDirectory() as scratch:
            yield compare(draw(first, base, workloads, Path(scratch) / "a"),
                          draw(second, chance.sample(others, runs), workloads, Path(scratch) / "b"), metrics)


def count_cells(document):
    """Tests with a result, shown ones, significant ones."""
    cells = [row["sets"][1] for row in document["rows"]]
    tested = [cell for cell in cells if is_tested(cell)]
    return len(tested), sum(map(is_shown, tested)), sum(cell["significant"] for cell in tested)


def same_kernel(bench, pool, seeds, metrics):
    """false alarms"""
    lines = ["| sets | metrics tested | intervals without 0 | expected at most | significant after correction | comparisons with one |"
             " expected at most |", "|---|---|---|---|---|---|---|"]
    for runs in RUNS:
        if 2 * runs > len(seeds):
            continue
        tested = shown = significant = wrong = 0
        for document in comparisons(pool, seeds, pool, seeds, runs, [], metrics):
            counts = count_cells(document)
            tested, shown, significant = tested + counts[0], shown + counts[1], significant + counts[2]
            wrong += counts[2] > 0
        lines.append(f"| {COMPARISONS} of {runs} against {runs} | {tested} | {shown} | {tested * 0.05:.0f} | {significant} | {wrong} | "
                     f"{COMPARISONS * 0.05:.1f} |")
        bench.add(f"false alarms, {COMPARISONS} comparisons of {LINE} with itself, {runs} against {runs}", f"{wrong}",
                  f"expected at most {COMPARISONS * 0.05:.1f}", samples=[wrong], tested=tested, shown=shown, significant=significant)
    print("\n".join(lines))


def injected(bench, same, other, seeds, other_seeds, metrics):
    """power"""
    lines = ["| sets | metrics | median slice: interval without 0 | significant after correction | wrong direction |", "|---|---|---|---|---|"]
    for name, chosen in (f"all {len(metrics)}", metrics), (f"{len(SLICES)} of slices", SLICES):
        for runs in RUNS:
            if runs > len(other_seeds):
                continue
            shown = found = wrong = 0
            for document in comparisons(same, seeds, other, other_seeds, runs, ["slices"], chosen):
                cells = [row["sets"][1] for row in document["rows"]
                         if row["metric"] == "slice_p50_us"]
                shown += any(is_shown(cell) and cell["change"] > 0 for cell in cells)
                found += any(cell["significant"] and cell["change"] > 0 for cell in cells)
                wrong += any(cell["significant"] and cell["change"] < 0 for cell in cells)
            lines.append(f"| {runs} against {runs} | {name} | {shown} of {COMPARISONS} | {found} of {COMPARISONS} | {wrong} |")
            bench.add(f"power, slices 10 % longer, {runs} against {runs}, {name}", f"{found} of {COMPARISONS}",
                      f"before correction {shown} of {COMPARISONS}", samples=[found], wrong=wrong)
    print("\n".join(lines))


def run(bench):
    """verdicts on equal and on different runs"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    same, other, count = record_pools()
    seeds, other_seeds = list(range(1, count + 1)), list(range(1, count // 2 + 1))
    metrics = held_metrics()
    bench.attempt(same_kernel, same, seeds, metrics)
    bench.attempt(injected, same, other, seeds, other_seeds, metrics)
