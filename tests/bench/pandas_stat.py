# SPDX-License-Identifier: MIT
"""pandas_stat.py ROWS.csv: what `picknext stat` shows of each task, from the rows of `picknext export --format csv`: how
people summarize scheduler traces with pandas."""
import sys

import pandas


def involuntary(states):
    return states.isin(["R", "R+"]).sum()


rows = pandas.read_csv(sys.argv[1], usecols=["time_diff", "pid", "prev_comm", "prev_state"])
slices = rows.groupby("prev_comm").time_diff
table = slices.agg(["sum", "count", "mean", "min", "max"])
for percent in 50, 95, 99:
    table[f"p{percent}"] = slices.quantile(percent / 100)
table["involuntary"] = rows.groupby("prev_comm").prev_state.agg(involuntary)
print(table.sort_values("sum", ascending=False).to_string())
