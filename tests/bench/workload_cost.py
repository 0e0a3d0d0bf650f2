# SPDX-License-Identifier: MIT
"""What being traced costs a workload that switches all the time: its throughput untraced and under each tracer, in
turns."""
import re
import statistics
import subprocess

from bench_support import NotHere, PICKNEXT, bench_guest, need_program, need_root, spread

WORKLOAD = "hackbench_pipe_small"


def rate(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^ *rate +([\d.]+)", done.stdout, re.M)
    if done.returncode or not found:
        raise NotHere(" ".join((done.stderr.strip() or "no rate told").splitlines()[-1:]))
    return float(found[1])


def add_rows(bench, where, rates):
    if not rates.get("untraced") or not rates.get("picknext"):
        raise NotHere("the workload did not run")
    # Each traced run against the untraced one of the same round, so that slow drifts of the machine cancel out.
    def slowdown(tracer):
        return [untraced / traced for untraced, traced in zip(rates["untraced"], rates[tracer])]
    ours = slowdown("picknext")
    bench.add(f"workload's time when traced, {where}", f"{statistics.median(ours):.2f} ×",
              f"untraced: 1 (spread {100 * spread(rates['untraced']):.0f} %)", samples=ours, rates=rates)
    for tracer, name in ("trace-cmd", "trace-cmd record"), ("perf", "perf sched record"):
        if rates.get(tracer):
            theirs = slowdown(tracer)
            bench.add(f"the same, {where}", f"{statistics.median(ours):.2f} ×",
                      f"{name}: {statistics.median(theirs):.2f} × (spread {100 * spread(theirs):.0f} %)")


def on_host(bench):
    """cost to the workload on this machine"""
    need_root()
    workload = [PICKNEXT, "run", WORKLOAD, "--scale", "0.05" if bench.quick else "1"]
    variants = {"untraced": workload,
                "picknext": [PICKNEXT, "record", "-q", "-o", bench.scratch / "cost", "--"] + workload}
    try:
        need_program("perf", "linux-perf")
        variants["perf"] = ["perf", "sched", "record", "-q", "-m", "4M", "-o", bench.scratch / "cost.perf", "--"] + workload
    except NotHere as reason:
        bench.missing.append((bench.part, "perf sched record", str(reason)))
    rates = {}
    for _ in range(bench.runs(7)):
        for name, command in variants.items():
            rates.setdefault(name, []).append(rate(command))
    add_rows(bench, "this machine", rates)


def in_guest(bench):
    """cost to the workload in a virtual machine"""
    add_rows(bench, "6.1 in the VM", bench_guest(bench)["rates"])


def run(bench):
    bench.attempt(on_host)
    bench.attempt(in_guest)
