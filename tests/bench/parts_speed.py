# SPDX-License-Identifier: MIT
"""A dataset larger than one file: picknext build --part-rows with one job and with several, of made-up traces with
PICKNEXT_ROWS rows in all (default: 100 million, which takes 20 GB of disk)."""
import os
import shutil
import subprocess
from pathlib import Path

from bench_support import NotHere, PICKNEXT, TOP, measure

TRACES = 30
PARTS = 16
BYTES_PER_ROW = 200  # of the trace, the rows, and the files in between


def make_traces(bench, rows):
    """Half a percent of the rows apart, so that no part ends where a trace does."""
    raw = bench.scratch / "many" / "raw"
    raw.mkdir(parents=True)
    if shutil.disk_usage(raw).free < rows * BYTES_PER_ROW:
        raise NotHere(f"{rows / 1e6:.0f} M rows need {rows * BYTES_PER_ROW / 1e9:.0f} GB of disk")
    subprocess.run(["make", "-s", "-C", TOP, "build/tools/make_many"], check=True)
    for number in range(TRACES):
        switches = rows // TRACES * (200 + number - TRACES // 2) // 200
        subprocess.run([TOP / "build/tools/make_many", raw / f"w{number % 4}_x_run{number}.dat", "8", "200", str(switches)],
                       check=True)
    return raw


def build(raw, out, rows, jobs):
    shutil.rmtree(out, ignore_errors=True)
    measured = measure([PICKNEXT, "build", "-q", "--raw-dir", raw, "-o", out, "--part-rows", str(rows // PARTS), "--jobs",
                        str(jobs)], 1)
    return measured, (out / "parts" / "manifest.json").read_bytes()


def parts(bench):
    """build --part-rows"""
    rows = int(os.environ.get("PICKNEXT_ROWS", "1000000" if bench.quick else "100000000"))
    raw, out = make_traces(bench, rows), bench.scratch / "parts"
    first = None
    for jobs in (1, 2) if (os.cpu_count() or 1) < 4 else (1, 2, os.cpu_count()):
        measured, manifest = build(raw, out, rows, jobs)
        first = first or (measured.wall(), manifest)
        if manifest != first[1]:
            bench.notes.append(f"--jobs {jobs} makes other parts than --jobs 1")
        bench.add(f"{rows / 1e6:.0f} M rows in parts, --jobs {jobs}, elapsed", f"{rows / measured.wall() / 1e6:.2f} M rows/s",
                  f"--jobs 1: {rows / first[0] / 1e6:.2f} M rows/s", first[0] / measured.wall(), wall_s=measured.wall_s,
                  cpu_s=measured.cpu_s, rows=rows, jobs=jobs)
        bench.add(f"peak memory, --jobs {jobs}", f"{measured.most_kb / 1024:.1f} MB", "", most_kb=measured.most_kb)
    shutil.rmtree(Path(out))
    shutil.rmtree(raw.parent)


def run(bench):
    bench.attempt(parts)
