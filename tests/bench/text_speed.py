# SPDX-License-Identifier: MIT
"""The text of a trace: trace-cmd report against picknext export."""
import recordings
from bench_support import PICKNEXT, measure, need_program


def run(bench):
    """the text of a trace"""
    need_program("trace-cmd", "trace-cmd")
    directory, _, events = recordings.small(bench)
    traces = sorted((directory / "raw").glob("*.dat"))
    each = events / len(traces)
    ours = measure([PICKNEXT, "export", "-q", "--format", "text", "-o", "-", traces[0]], bench.runs(5))
    theirs = measure(["trace-cmd", "report", "-i", traces[0]], bench.runs(3))
    bench.add("trace to text", f"{ours.cpu() / each * 1e9:.0f} ns an event",
              f"trace-cmd report: {theirs.cpu() / each * 1e9:.0f} ns", theirs.cpu() / ours.cpu(), 3, ours.cpu_s,
              theirs_cpu_s=theirs.cpu_s)
    bench.add("memory of that", f"{ours.most_kb / 1024:.1f} MB", f"trace-cmd report: {theirs.most_kb / 1024:.0f} MB",
              theirs.most_kb / ours.most_kb)
