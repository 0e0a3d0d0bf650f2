# SPDX-License-Identifier: MIT
"""Bytes an event takes on disk."""
import recordings
import analysis_speed
from bench_support import NotHere, bench_guest


def perf_size(bench):
    """bytes an event in perf sched's file"""
    data, events = bench.traces.get("perf") or analysis_speed.perf_trace(bench)
    return data.stat().st_size / events


def trace_cmd_size(bench):
    """bytes an event in trace-cmd's file"""
    told = bench_guest(bench)
    if "trace_cmd_bytes" not in told:
        raise NotHere("trace-cmd recorded nothing in the VM")
    return told["trace_cmd_bytes"]


def our_size(bench):
    """bytes an event in our file"""
    directory, _, events = recordings.small(bench)
    return sum(path.stat().st_size for path in (directory / "raw").glob("*.dat")) / events


def run(bench):
    ours = bench.attempt(our_size)
    if not ours:
        return
    theirs = bench.attempt(perf_size)
    if theirs:
        bench.add("bytes on disk", f"{ours:.0f} B an event", f"perf sched: {theirs:.0f} B", theirs / ours)
    theirs = bench.attempt(trace_cmd_size)
    if theirs:
        bench.add("bytes on disk", f"{ours:.0f} B an event", f"trace-cmd, compressed: {theirs:.0f} B", theirs / ours)
