# SPDX-License-Identifier: MIT
"""What being traced costs a workload that switches all the time: untraced and under each tracer, in short turns.

Each traced run is compared with the untraced one of its round, so that slow drifts of the machine cancel out; what is
told is the median of these ratios, and the interval that holds it with 95 % confidence, whatever their distribution.
Processor time is the workload's own (user and system, the tracepoints included), which other load disturbs least."""
import math
import re
import statistics
import subprocess
from pathlib import Path

from bench_support import BENCH_DIRECTORY, NotHere, PICKNEXT, TOOLS, bench_guest, need_program, need_root

WORKLOAD = "hackbench_pipe_small"
ROUNDS = 25
SCALE = "0.4"  # some 0.6 s
NAMES = {"picknext": "picknext", "trace-cmd": "trace-cmd record", "perf": "perf sched record",
         "bare": "the tracepoints alone, which nobody reads", "keys": "picknext record --keys"}
TRACE_CMD_EVENTS = ["-e", "sched:sched_switch", "-e", "sched:sched_wakeup", "-e", "sched:sched_wakeup_new", "-e",
                    "sched:sched_migrate_task"]
BARE = Path(__file__).with_name("bare_tracefs.sh")


def interval(values):
    """Of the median, with 95 % confidence or, of fewer than six, from the least to the most: by their order alone."""
    ordered = sorted(values)
    count = len(ordered)
    outside = 0
    below = 0.0
    while outside < count // 2:
        below += math.comb(count, outside) / 2 ** count
        if below > 0.025:
            break
        outside += 1
    outside = max(outside - 1, 0)
    return ordered[outside], ordered[count - 1 - outside]


def one_run(tracer, scale):
    """The rate that the workload tells, and the processor time that it took in seconds."""
    report = BENCH_DIRECTORY / "measure.report"
    command = tracer + [TOOLS / "measure", report, PICKNEXT, "run", WORKLOAD, "--scale", scale]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^ *rate +([\d.]+)", done.stdout, re.M)
    if done.returncode or not found:
        raise NotHere(" ".join((done.stderr.strip() or "no rate told").splitlines()[-1:]))
    _, user, system, _, _ = map(int, report.read_text().split())
    return float(found[1]), (user + system) / 1e9


def told(ratios):
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.2f} × ({low:.2f} to {high:.2f})"


def add_rows(bench, where, runs):
    """runs: of each variant (rate, processor_s), one for each round."""
    if not runs.get("untraced") or not runs.get("picknext"):
        raise NotHere("the workload did not run")
    untraced = runs["untraced"]
    for what, ratio in (("processor time", lambda base, run: run[1] / base[1]),
                        ("time by the clock", lambda base, run: base[0] / run[0])):
        ratios = {variant: [ratio(base, run) for base, run in zip(untraced, each)] for variant, each in runs.items()}
        ours = ratios.pop("picknext")
        del ratios["untraced"]
        row = bench.add(f"{what} of a traced workload against untraced, {where}", told(ours), "", runs=runs)
        row.runs = f"{len(ours)} rounds"
        for variant, theirs in ratios.items():
            row = bench.add("the same", told(ours), f"{NAMES[variant]}: {told(theirs)}",
                            statistics.median(theirs) / statistics.median(ours))
            row.runs = f"{len(theirs)} rounds"
            if variant == "bare":
                add_own_part(bench, f"{what}, {where}", [a / b for a, b in zip(ours, theirs)])


def add_own_part(bench, what, ratios):
    """What picknext adds to the tracepoints. The goal is an interval that reaches 1."""
    low, _ = interval(ratios)
    row = bench.add(f"picknext beyond the tracepoints alone, {what}", told(ratios), "")
    row.runs = f"{len(ratios)} rounds"
    bench.goal(row, "not distinguishable from 1", low <= 1)


def on_host(bench):
    """cost to the workload on this machine"""
    need_root()
    variants = {"untraced": [], "picknext": [PICKNEXT, "record", "-q", "-o", bench.scratch / "cost", "--"],
                "bare": [BARE]}
    tracers = {
        "perf": ("linux-perf", ["perf", "sched", "record", "-q", "-m", "4M", "-o", bench.scratch / "cost.perf", "--"]),
        "trace-cmd": ("trace-cmd", ["trace-cmd", "record", "-q", "-C", "mono", "-o", bench.scratch / "cost.trace"] +
                      TRACE_CMD_EVENTS),
    }
    for name, (package, command) in tracers.items():
        try:
            need_program(command[0], package)
            one_run(command, "0.01")  # trace-cmd does not record on every kernel
            variants[name] = command
        except NotHere as reason:
            bench.missing.append((bench.part, NAMES[name], str(reason)))
    runs = {name: [] for name in variants}
    for number in range(bench.runs(ROUNDS)):
        # Each round in another order: what a run leaves behind falls on each of them.
        names = list(variants)
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            runs[name].append(one_run(variants[name], "0.05" if bench.quick else SCALE))
    add_rows(bench, "this machine", runs)


def in_guest(bench):
    """cost to the workload in a virtual machine"""
    add_rows(bench, "6.1 in the VM", bench_guest(bench)["runs"])


def run(bench):
    bench.attempt(on_host)
    bench.attempt(in_guest)
