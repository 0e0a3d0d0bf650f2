# SPDX-License-Identifier: MIT
"""Whether the verdicts of small runs hold for longer ones: 6.1 against 6.12 in deterministic guests, at the default sizes of
picknext vm and at three times these. PICKNEXT_SEEDS: how many seeds of each (default 5)."""
import os

from bench_support import NotHere
from guest_pools import compare, held_metrics, record

TIMES = 3
# The longer runs, by what a boot has.
GROUPS = {"small": "hackbench_pipe_small,hackbench_socket_small", "large": "hackbench_pipe_large,hackbench_socket_large",
          "threads": "sysbench_threads_8t,sysbench_threads_16t",
          "cpu": "sysbench_cpu_4t,sysbench_cpu_8t,sysbench_memory_4t,cpu_bound_4p,cpu_bound_8p,io_mixed"}


def cells(small, large):
    """By workload and metric: the result at both sizes."""
    results = {}
    for size, document in (("small", small), ("large", large)):
        for row in document["rows"]:
            results.setdefault((row["workload"], row["metric"]), {})[size] = row["sets"][1]
    return {key: cell for key, cell in results.items() if len(cell) == 2}


def sign(cell):
    change = cell["change"] or 0
    return (change > 0) - (change < 0)


def table(results, parts):
    """Rows of the Markdown table, and what has the opposite sign."""
    lines = ["| workload | left out of small runs, % | significant | same sign, significant | same sign | no change | opposite sign |",
             "|---|---|---|---|---|---|---|"]
    opposite = []
    total = [0] * 5
    for workload in dict.fromkeys(key[0] for key in results):
        counts = [0] * 5
        for (name, metric), cell in results.items():
            if name != workload or not cell["small"]["significant"]:
                continue
            small, large = sign(cell["small"]), sign(cell["large"])
            counts[0] += 1
            counts[1] += small == large and cell["large"]["significant"]
            counts[2] += small == large and not cell["large"]["significant"]
            counts[3] += large == 0
            counts[4] += small == -large and large != 0
            if small == -large and large != 0:
                opposite.append((workload, metric, cell))
        left_out = " / ".join(f"{each['left_out_start_percent'] + each['left_out_end_percent']:.0f}" for each in parts[workload])
        lines.append(f"| {workload} | {left_out} | " + " | ".join(map(str, counts)) + " |")
        total = [a + b for a, b in zip(total, counts)]
    lines.append("| all | | " + " | ".join(map(str, total)) + " |")
    return lines, opposite, total


def run(bench):
    """signs of verdicts at three times the default size"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    seeds = int(os.environ.get("PICKNEXT_SEEDS", "5"))
    metrics = held_metrics()
    small = record("x1", ("6.1", "6.12"), seeds)
    results, parts = {}, {}
    for group, workloads in GROUPS.items():
        large = record(f"x{TIMES}-{group}", ("6.1", "6.12"), seeds, "--small", str(TIMES), "-w", workloads)
        documents = [compare(*pools, metrics, workloads) for pools in (small, large)]
        parts.update({part["workload"]: part["sets"] for part in documents[0]["parts"]})
        results.update(cells(*documents))
    lines, opposite, total = table(results, parts)
    print("\n".join(lines))
    for workload, metric, cell in opposite:
        print(f"opposite: {workload} {metric}: {cell['small']['change']:+.1f} % [{cell['small']['low']:+.1f}, {cell['small']['high']:+.1f}], "
              f"at {TIMES} times the size {cell['large']['change']:+.1f} % [{cell['large']['low']:+.1f}, {cell['large']['high']:+.1f}]"
              f"{', significant' if cell['large']['significant'] else ''}")
    row = bench.add(f"significant verdicts, 6.1 against 6.12, {seeds} seeds, default sizes", f"{total[0]}",
              f"of the opposite sign at {TIMES} times the size: {total[4]}", samples=[total[0]],
                    opposite=[[workload, metric] for workload, metric, _ in opposite])
    bench.goal(row, "none opposite", total[4] == 0)
