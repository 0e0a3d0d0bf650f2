#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_with_trace_cmd.py OUT: all.csv against what trace-cmd report says of each OUT/raw/NAME.dat, row by row and in
the same order; then time_diff against the time stamps."""
import csv
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

SWITCH = re.compile(
    r"\[(?P<cpu>\d+)\]\s+(?:\S+\s+)?(?P<timestamp>\d+\.\d+): sched_switch:\s+prev_comm=(?P<prev_comm>.*) "
    r"prev_pid=\d+ prev_prio=-?\d+ prev_state=\S+ next_comm=(?P<task_name>.*) next_pid=(?P<pid>\d+) next_prio")
out = Path(sys.argv[1])
rows = {}
with open(out / "all.csv", newline="", encoding="utf-8", errors="surrogateescape") as file:
    for row in csv.DictReader(file):
        rows.setdefault(row["trace_id"], []).append(row)
assert sorted(rows) == sorted(path.stem for path in (out / "raw").glob("*.dat")), sorted(rows)
for trace, ours in rows.items():
    report = subprocess.run(["trace-cmd", "report", "-t", "-R", out / "raw" / f"{trace}.dat"], check=True,
                            capture_output=True).stdout.decode("utf-8", "surrogateescape")
    theirs = [found.groupdict() for found in map(SWITCH.search, report.split("\n")) if found]
    assert len(theirs) == len(ours) > 0, (trace, len(theirs), len(ours))
    before = None
    for row, expected in zip(ours, theirs):
        expected["cpu"] = str(int(expected["cpu"]))
        assert {key: row[key] for key in expected} == expected, (trace, row, expected)
        now = Decimal(row["timestamp"])
        assert re.fullmatch(r"\d+\.\d{9}", row["timestamp"]) and re.fullmatch(r"\d+\.\d{9}", row["time_diff"]), row
        assert Decimal(row["time_diff"]) == (now - before if before is not None else 0), row
        before = now
print(sum(map(len, rows.values())))
