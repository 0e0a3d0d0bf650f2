# SPDX-License-Identifier: MIT
"""Analyses against those of perf sched, each on its own trace of the same work, per event."""
import re
import subprocess

import recordings
from bench_support import NotHere, PICKNEXT, measure, need_program, need_root


def perf_trace(bench):
    """The workload recorded by perf sched, and how many events that is."""
    need_root()
    need_program("perf", "linux-perf")
    data = bench.scratch / "perf.data"
    done = subprocess.run(["perf", "sched", "record", "-q", "-m", "8M", "-o", data, "--", PICKNEXT, "run", "-q",
                           recordings.WORKLOAD, "--duration", "0.2" if bench.quick else "1.5"],
                          capture_output=True, text=True, check=False)
    if done.returncode or not data.exists():
        raise NotHere("perf sched record: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    stats = subprocess.run(["perf", "report", "-i", data, "--stats"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"SAMPLE events:\s+(\d+)", stats)
    if not found:
        raise NotHere("perf report --stats tells no number of events")
    bench.traces["perf"] = data, int(found[1])
    return bench.traces["perf"]


# Commands of picknext and the subcommands of perf sched that answer the same question.
PAIRS = {"latency": "latency", "stat": "timehist", "timeline --map": "map"}


def run(bench):
    """analyses"""
    directory, _, events = recordings.large(bench)
    data, perf_events = perf_trace(bench)
    traces = sorted((directory / "raw").glob("*.dat"))
    for command, theirs in PAIRS.items():
        ours = measure([PICKNEXT] + command.split() + traces, bench.runs(3))
        measured = measure(["perf", "sched", theirs, "-i", data], bench.runs(3))
        our_ns = ours.cpu() / events * 1e9
        their_ns = measured.cpu() / perf_events * 1e9
        bench.add(f"{command} against perf sched {theirs}", f"{our_ns:.0f} ns an event", f"{their_ns:.0f} ns",
                  their_ns / our_ns, 2, ours.cpu_s, theirs_cpu_s=measured.cpu_s)
        bench.add("memory of that", f"{ours.most_kb / 1024:.1f} MB", f"{measured.most_kb / 1024:.0f} MB",
                  measured.most_kb / ours.most_kb)
