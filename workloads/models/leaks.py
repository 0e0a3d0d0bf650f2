#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks whether train.csv contains answers of test_seen.csv or test_unseen.csv. Exit code 1 if it does.

/usr/bin/python3 workloads/models/leaks.py DIR    DIR: made by picknext build --task pick, placement, balance or keys

For each test file, by its contents, without names of traces and without labels:
traces       number of traces whose trace_id is in train.csv: a leak
rows         percent of rows with a choice whose waiting times and lags (placement: since when CPUs are idle or busy) are also
             in train.csv: with few tasks and few different times they repeat
windows      percent of windows of 8 such rows of a trace that are in train.csv in this order: even one is a leak. Times are
             in nanoseconds, so that only a copy of a trace, or of a part of one, has the same window
best column  the list whose minimum or maximum names the chosen candidate most often, with the percentage of 20,000 rows:
             above 99 % a leak, unless the rows have the scheduler's keys, by which its rule chooses
Files are read in parts, so that a dataset may be larger than memory. Needs numpy and pandas (Debian: python3-pandas).
"""
import sys

import numpy
import pandas

from baselines import PARTS
from choice_models import has_choice, open_rows, read_rows

TIMES = ("candidate_waiting_ns", "candidate_lag_ns", "cpu_since_ns")  # other times depend on where a trace begins
NEEDED = ("trace_id", "candidates", "cpus", "chosen")
WINDOW, PERCENT_MAX, CHUNK, SAMPLE = 8, 99, 20000, 20000
MULTIPLIER = numpy.uint64(6364136223846793005)


def windows_of(hashes, traces):
    """A hash per window of rows of one trace."""
    order = numpy.argsort(traces, kind="stable")
    hashes, traces = hashes[order], traces[order]
    count = max(0, len(hashes) - WINDOW + 1)
    found = numpy.zeros(count, numpy.uint64)
    for place in range(WINDOW):
        found = found * MULTIPLIER + hashes[place:place + count]
    return found[traces[:count] == traces[WINDOW - 1:]]


def contents(directory, part, sample):
    """(names of traces, a hash per row with a choice, one per window, so many such rows, drawn alike)"""
    header = read_rows(directory, part, nrows=0)
    times = [name for name in TIMES if name in header]
    columns = [name for name in header if sample or name in (*NEEDED, *times)]
    random, numbers, hashes, traces = numpy.random.default_rng(1), {}, [numpy.empty(0, numpy.uint64)], [numpy.empty(0, int)]
    drawn = header.assign(draw=0.0)
    for rows in open_rows(directory, part, usecols=columns, chunksize=CHUNK):
        for name in rows["trace_id"].unique():
            numbers.setdefault(name, len(numbers))
        if "cpus" in rows:  # --task placement
            rows = rows.assign(candidates=(rows["cpus"].str.count(" ") + 1).astype(str))
        rows = rows[has_choice(rows)]
        hashes.append(pandas.util.hash_pandas_object(rows[times], index=False).to_numpy())
        traces.append(rows["trace_id"].map(numbers).to_numpy(int))
        if sample and len(rows):
            drawn = pandas.concat([drawn, rows.assign(draw=random.random(len(rows)))]).nsmallest(sample, "draw")
    hashes, traces = numpy.concatenate(hashes), numpy.concatenate(traces)
    return set(numbers), hashes, windows_of(hashes, traces), drawn.drop(columns="draw")


def best_column(rows):
    chosen, best = rows["chosen"].astype(int).to_numpy(), (0, "none")
    for name in (name for name in rows if name.startswith("c") and rows[name].str.contains(" ").any()):
        lists = [pandas.to_numeric(pandas.Series(text.split(" ")), errors="coerce").to_numpy() for text in rows[name]]
        for pick, fill in ((numpy.argmin, numpy.inf), (numpy.argmax, -numpy.inf)):
            # A list of equal values names no candidate.
            right = [pick(numpy.where(numpy.isnan(values), fill, values)) == place and numpy.nanmin(values) < numpy.nanmax(values)
                     if not numpy.isnan(values).all() else False for values, place in zip(lists, chosen)]
            best = max(best, (100 * numpy.mean(right), name))
    return best


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    learnt_traces, learnt_rows, learnt_windows, _ = contents(sys.argv[1], "train", 0)
    leaks = False
    for part in PARTS[1:]:
        traces, rows, windows, drawn = contents(sys.argv[1], part, SAMPLE)
        if not len(rows):
            continue
        shared = len(traces & learnt_traces)
        of_rows, of_windows = (100 * numpy.isin(mine, theirs).mean() if len(mine) else 0
                               for mine, theirs in ((rows, learnt_rows), (windows, learnt_windows)))
        percent, name = best_column(drawn)
        print(f"{part}: traces {shared}, rows {of_rows:.2f} %, windows {of_windows:.3f} %, best column {name} {percent:.1f} %")
        leaks |= shared > 0 or of_windows > 0 or (percent > PERCENT_MAX and "rule_choice" not in drawn)
    sys.exit(int(leaks))


if __name__ == "__main__":
    main()
