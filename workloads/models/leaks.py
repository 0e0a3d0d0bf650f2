#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does train.csv have what test_seen.csv and test_unseen.csv ask for? Exit code 1 if it does.

/usr/bin/python3 workloads/models/leaks.py DIR    DIR: of picknext build --task pick, placement, balance or keys

Of each test file, by its contents, without names of traces and without labels:
traces       those whose trace_id train.csv has: a leak
rows         percent of rows with a choice whose waiting times and lags (placement: since when CPUs are idle or busy) train.csv has,
             too: few tasks with few times repeat
windows      percent of windows of 8 such rows of a trace that train.csv has in this order: a leak, even one. Times are of
             nanoseconds, so that only a copy of a trace, or of a part of one, has the same window
best column  the list whose least or greatest value names the chosen one most often, with the percentage: a leak above 99 %, unless
             the rows have the keys of the scheduler, by which its rule chooses
Needs numpy and pandas (Debian: python3-pandas).
"""
import sys

import numpy
import pandas

from baselines import PARTS
from choice_models import has_choice, read_rows

TIMES = ("candidate_waiting_ns", "candidate_lag_ns", "cpu_since_ns")  # all else depends on where a trace begins
WINDOW, PERCENT_MAX = 8, 99


def contents(rows):
    """(a hash per row, a hash per window)"""
    columns = [name for name in TIMES if name in rows]
    each = pandas.util.hash_pandas_object(rows[columns], index=False).to_numpy()
    windows = [pandas.util.hash_array(numpy.ascontiguousarray(numpy.lib.stride_tricks.sliding_window_view(of, WINDOW)).view("S64").ravel())
               for of in (each[numpy.sort(places)] for places in rows.groupby("trace_id").indices.values()) if len(of) >= WINDOW]
    return each, numpy.concatenate(windows or [numpy.empty(0, numpy.uint64)])


def best_column(rows):
    chosen, best = rows["chosen"].astype(int).to_numpy(), (0, "none")
    for name in (name for name in rows if name.startswith("c") and rows[name].str.contains(" ").any()):
        lists = [pandas.to_numeric(pandas.Series(text.split(" ")), errors="coerce").to_numpy() for text in rows[name]]
        for pick, fill in ((numpy.argmin, numpy.inf), (numpy.argmax, -numpy.inf)):
            # A list without a difference names none.
            right = [pick(numpy.where(numpy.isnan(values), fill, values)) == place and numpy.nanmin(values) < numpy.nanmax(values)
                     if not numpy.isnan(values).all() else False for values, place in zip(lists, chosen)]
            best = max(best, (100 * numpy.mean(right), name))
    return best


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    parts = {part: read_rows(sys.argv[1], part) for part in PARTS}
    if "cpus" in parts["train"]:  # --task placement
        parts = {part: rows.assign(candidates=(rows["cpus"].str.count(" ") + 1).astype(str)) for part, rows in parts.items()}
    learnt_traces = set(parts["train"]["trace_id"])
    parts = {part: rows[has_choice(rows)].reset_index(drop=True) for part, rows in parts.items()}
    learnt_rows, learnt_windows = contents(parts["train"])
    leaks = False
    for part in PARTS[1:]:
        rows = parts[part]
        if not len(rows):
            continue
        each, windows = contents(rows)
        traces = len(set(rows["trace_id"]) & learnt_traces)
        of_rows, of_windows = (100 * numpy.isin(mine, theirs).mean() if len(mine) else 0
                               for mine, theirs in ((each, learnt_rows), (windows, learnt_windows)))
        percent, name = best_column(rows.sample(min(len(rows), 20000), random_state=1))
        print(f"{part}: traces {traces}, rows {of_rows:.2f} %, windows {of_windows:.3f} %, best column {name} {percent:.1f} %")
        leaks |= traces > 0 or of_windows > 0 or (percent > PERCENT_MAX and "rule_choice" not in rows)
    sys.exit(int(leaks))


if __name__ == "__main__":
    main()
