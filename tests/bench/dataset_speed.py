# SPDX-License-Identifier: MIT
"""From raw traces to CSV: picknext build against Python with a regular expression and the csv module.

What writes is run before it is measured, too: where the machine is a guest whose host takes free memory back, files in
memory that has to be got from there again cost several times as much, whoever writes them."""
import filecmp
import itertools
import shutil
import sys
from pathlib import Path

import recordings
from bench_support import PICKNEXT, measure

REFERENCE = Path(__file__).with_name("reference_build.py")
FILES = ["all.csv", "train.csv", "test_seen.csv"]
WARM_UP = 2
TEXT_PYTHONS = 30


def empty(directory):
    def remove():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
    return remove


def build(raw, out, runs):
    return measure([PICKNEXT, "build", "-q", "--raw-dir", raw, "-o", out], runs, before=empty(out),
                   warm_up=WARM_UP)


def text_of(bench, name, directory):
    """The same traces as the kernel's text; without the JSON, as earlier tools left them."""
    text = bench.scratch / f"{name}-text"
    text.mkdir()
    for trace in sorted((directory / "raw").glob("*.dat")):
        measure([PICKNEXT, "export", "-q", "--format", "text", "-o", text / f"{trace.stem}.txt", trace], 1)
    return text


def first_difference(ours, theirs):
    """Where the two datasets are not the same bytes: a line of each, or None."""
    for name in FILES:
        if filecmp.cmp(ours / name, theirs / name, shallow=False):
            continue
        with open(ours / name, "rb") as one, open(theirs / name, "rb") as other:
            for number, (a, b) in enumerate(itertools.zip_longest(one, other), 1):
                if a != b:
                    return f"{name} line {number}: {a!r} and {b!r}"
    return None


def millions(number):
    return f"{number / 1e6:.1f} M" if number >= 50_000 else f"{number / 1e3:.0f} k"


def of_size(bench, name, recorded, runs, reference_runs):
    directory, switches, _ = recorded(bench)
    size = f"{millions(switches)} rows"
    out = bench.scratch / "dataset"
    ours = build(directory / "raw", out, runs)
    samples = [switches / cpu_s for cpu_s in ours.cpu_s]
    rate = switches / ours.cpu()

    text = text_of(bench, name, directory)
    shutil.rmtree(out)
    from_text = build(text, out, runs)
    theirs_out = bench.scratch / "reference"
    theirs = measure([sys.executable, REFERENCE, text, theirs_out, "0.8", "42"], reference_runs)
    difference = first_difference(out, theirs_out)
    if difference:
        bench.notes.append(f"The reference's dataset differs from picknext's: {difference}")
    their_rate = switches / theirs.cpu()

    bench.add(f"dataset of {size}", f"{millions(rate)} rows/s", f"Python: {millions(their_rate)} rows/s",
              rate / their_rate, 50, samples, ours_cpu_s=ours.cpu_s, ours_wall_s=ours.wall_s,
              theirs_cpu_s=theirs.cpu_s, rows=switches)
    bench.add("the same from text traces" + ("" if difference else ", same bytes out"), f"{millions(switches / from_text.cpu())} rows/s",
              f"Python: {millions(their_rate)} rows/s", theirs.cpu() / from_text.cpu(), TEXT_PYTHONS,
              [switches / cpu_s for cpu_s in from_text.cpu_s])
    bench.add(f"peak memory, {size}", f"{ours.most_kb / 1024:.1f} MB", f"Python: {theirs.most_kb / 1024:.0f} MB",
              theirs.most_kb / ours.most_kb)
    shutil.rmtree(text)
    shutil.rmtree(out)
    shutil.rmtree(theirs_out)
    return ours.most_kb


def small_dataset(bench):
    """dataset of 0.4 M rows"""
    return of_size(bench, "small", recordings.small, bench.runs(5), bench.runs(3))


def large_dataset(bench):
    """dataset of 20 M rows"""
    return of_size(bench, "large", recordings.large, bench.runs(5), 1)


def run(bench):
    small = bench.attempt(small_dataset)
    large = bench.attempt(large_dataset)
    if small and large:
        row = bench.add("memory, the large trace against the small", f"{large / 1024:.1f} MB", f"{small / 1024:.1f} MB",
                        small / large)
        bench.goal(row, "does not grow", large <= small * 1.1)
