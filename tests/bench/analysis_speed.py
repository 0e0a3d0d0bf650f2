# SPDX-License-Identifier: MIT
"""Analyses: picknext stat and latency, alone and together, against perf sched latency and timehist, each on its own trace of the same work,
per event."""
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


def ours(bench):
    directory, _, events = recordings.large(bench)
    each = {}
    for command in ["stat"], ["latency"], ["stat", "--waits"]:
        name = " ".join(command)
        measured = measure([PICKNEXT] + command + [directory], bench.runs(3))
        each[name] = measured
        rate = events / measured.cpu()
        row = bench.add(f"{name}, {events / 1e6:.1f} M events" + (": both in one pass" if len(command) > 1 else ""),
                        f"{rate / 1e6:.1f} M events/s", "", samples=measured.cpu_s, cpu_s=measured.cpu_s,
                        most_kb=measured.most_kb)
        if len(command) > 1:
            bench.goal(row, "≥ 10 M", rate >= 10e6)
    return events, each


def run(bench):
    """analyses"""
    events, each = ours(bench)
    data, perf_events = perf_trace(bench)
    for command, theirs in ("latency", "latency"), ("stat", "timehist"):
        measured = measure(["perf", "sched", theirs, "-i", data], bench.runs(3))
        our_ns = each[command].cpu() / events * 1e9
        their_ns = measured.cpu() / perf_events * 1e9
        bench.add(f"{command} against perf sched {theirs}", f"{our_ns:.0f} ns an event", f"{their_ns:.0f} ns",
                  their_ns / our_ns, 2, each[command].cpu_s, theirs_cpu_s=measured.cpu_s)
        bench.add("memory of that", f"{each[command].most_kb / 1024:.1f} MB", f"{measured.most_kb / 1024:.0f} MB",
                  measured.most_kb / each[command].most_kb)
