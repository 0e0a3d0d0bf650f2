# SPDX-License-Identifier: MIT
"""Reading a trace beside the least that a program over libtracecmd and libtraceevent does (libtracecmd/sum_fields.c)."""
import os
import subprocess
from pathlib import Path

import recordings
from bench_support import NotHere, PICKNEXT, TOOLS, measure, need_program

SOURCE = Path(__file__).parent / "libtracecmd" / "sum_fields.c"
PACKAGES = "libtracecmd-dev libtracefs-dev libtraceevent-dev pkg-config"


def build_sum():
    need_program("pkg-config", PACKAGES)
    need_program("cc", "gcc")
    found = subprocess.run(["pkg-config", "--cflags", "--libs", "libtracecmd"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise NotHere(f"no libtracecmd (apt-get install {PACKAGES})")
    program = TOOLS / "sum_fields"
    subprocess.run(["cc", "-O2", "-o", program, SOURCE] + found.stdout.split(), check=True)
    return program


def speed(seconds, events, size):
    return f"{seconds / events * 1e9:.0f} ns an event, {size / seconds / 1e6:.0f} MB/s"


def run(bench):
    """reading a trace, against libtracecmd"""
    directory, _, events = recordings.small(bench)
    program = build_sum()
    traces = sorted((directory / "raw").glob("*.dat"))
    size = sum(trace.stat().st_size for trace in traces)
    # The same trace: the first one.
    one = measure([program, traces[0]], bench.runs(5), keep_output=True)
    one_events, one_size = int(one.output.split()[0]), traces[0].stat().st_size
    ours = measure([PICKNEXT, "check", "-q", traces[0]], bench.runs(5))
    bench.add("`check`, one trace", speed(ours.cpu(), one_events, one_size),
              f"libtracecmd, all fields summed: {speed(one.cpu(), one_events, one_size)}", one.cpu() / ours.cpu(), 1, ours.cpu_s,
              events=one_events, bytes=one_size, theirs_cpu_s=one.cpu_s)
    jobs = str(os.cpu_count() or 1)
    ours = measure([PICKNEXT, "build", "-q", "--jobs", jobs, "-o", bench.scratch / "library", directory],
                   bench.runs(5))
    theirs = measure(["xargs", "-P", jobs, "-n", "1", "-a", write_names(bench, traces), program], bench.runs(5))
    bench.add(f"`build --jobs {jobs}`, {len(traces)} traces to CSV, time by the clock", speed(ours.wall(), events, size),
              f"libtracecmd, {jobs} at a time: {speed(theirs.wall(), events, size)}", theirs.wall() / ours.wall(), None, ours.wall_s,
              theirs_wall_s=theirs.wall_s)


def write_names(bench, traces):
    names = bench.scratch / "names"
    names.write_text("".join(f"{trace}\n" for trace in traces), encoding="utf-8")
    return names
