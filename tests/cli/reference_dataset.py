#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a dataset must be, said once more in Python, for picknext build to be compared with.

reference_dataset.py build RAW OUT RATIO SEED UNSEEN META   the four CSV files; META must begin with its metadata
reference_dataset.py make RAW RNG_SEED                      a random set of text traces
"""
import csv
import json
import random
import re
import sys
from decimal import Decimal
from pathlib import Path

COLUMNS = "timestamp time_diff task_name pid cpu prev_state prev_comm workload_type trace_id".split()
SWITCH = re.compile(
    r"\[(?P<cpu>\d+)\]\s+(?:\S+\s+)?(?P<time>\d+\.\d+): sched_switch: "
    r"prev_comm=(?P<prev>.*?) prev_pid=\d+ prev_prio=-?\d+ prev_state=(?P<state>\S+) ==> "
    r"next_comm=(?P<next>.*?) next_pid=(?P<pid>\d+) next_prio=-?\d+$"
)


def labels(path):
    """Workload and category: from the JSON beside the trace, or from its name."""
    beside = path.with_suffix(".json")
    if beside.exists():
        told = json.loads(beside.read_text())
        return told.get("workload_name", path.stem), told.get("category", "unknown")
    workload = path.stem.rsplit("_run", 1)[0]
    return workload, workload.rsplit("_", 1)[0] if "_" in workload else workload


def rows_of(path, workload):
    rows, before = [], None
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        found = SWITCH.search(line)
        if not found:
            continue
        now = Decimal(found["time"])
        elapsed = now - before if before is not None else Decimal(0)
        before = now
        rows.append([found["time"], f"{elapsed:.9f}", found["next"], int(found["pid"]), int(found["cpu"]),
                     found["state"], found["prev"], workload, path.stem])
    return rows


def build(raw, out, ratio, seed, unseen_wanted, meta):
    traces = {}
    for path in sorted(raw.glob("*.txt")):
        workload, category = labels(path)
        traces.setdefault(category, []).append(rows_of(path, workload))
    categories = sorted(traces)
    random.seed(seed)
    unseen = random.choice(categories) if len(categories) >= 3 and unseen_wanted else None
    train, seen = [], []
    for category in categories:
        if category == unseen:
            continue
        members = list(traces[category])
        random.shuffle(members)
        kept = max(1, int(len(members) * ratio))
        train += [row for rows in members[:kept] for row in rows]
        seen += [row for rows in members[kept:] for row in rows]
    if not seen and train:
        cut = int(len(train) * ratio)
        train, seen = train[:cut], train[cut:]
    held_out = [row for rows in traces[unseen] for row in rows] if unseen is not None else []
    out.mkdir(parents=True, exist_ok=True)
    files = {"train": train, "test_seen": seen, "test_unseen": held_out, "all": train + seen + held_out}
    for name, rows in files.items():
        with open(out / f"{name}.csv", "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            csv.writer(file).writerows([COLUMNS] + rows)
    expected = {
        "total_events": len(files["all"]), "train_events": len(train), "test_seen_events": len(seen),
        "test_unseen_events": len(held_out), "train_ratio": ratio, "seed": seed, "unseen_category": unseen,
        "categories": categories, "num_traces": sum(map(len, traces.values())), "csv_columns": COLUMNS,
    }
    ours = json.loads(meta.read_text())
    assert list(ours)[:11] == list(expected) + ["created_at"], list(ours)
    for key, value in expected.items():
        assert ours[key] == value and type(ours[key]) is type(value), (key, ours[key], value)


def make(raw, rng_seed):
    """Traces of some categories, with and without JSON, some empty, names that need quotes and orders that differ
    between stems and file names."""
    draw = random.Random(rng_seed)
    raw.mkdir(parents=True, exist_ok=True)
    names = ["swapper/0", "hackbench", "kworker/0:1H", "a,b", 'say "hi"', " lead", "trail ", "", "caf\u00e9",
             "x prev_pid=1", "==> next_comm="]
    for number in range(draw.randint(1, 7)):
        kind = draw.choice(["cpu_bound", "io", "io_mixed", "hack-bench", "hack", "net.x", "z_"]) + draw.choice("ab_-.")
        told = draw.random() < 0.4
        for run in range(draw.choice([1, 1, 2, 3, 5, 11])):
            stem = f"{kind}{number}t_run{run}" if draw.random() < 0.9 else f"{kind}{number}-{run}"
            lines = ["# tracer: nop", "#", ""]
            time = draw.randint(0, 10**13)
            for _ in range(draw.choice([0, 1, 2, 5, 30])):
                time += draw.choice([0, 1, 17, 10**6])
                prev, new = draw.choice(names), draw.choice(names)
                lines.append(
                    f"{prev:>16}-{draw.randint(0, 99999):<7} [{draw.randint(0, 130):03}] d..2. "
                    f"{time // 10**6:5}.{time % 10**6:06}: sched_switch: prev_comm={prev} prev_pid=1 prev_prio=120 "
                    f"prev_state={draw.choice(['R', 'R+', 'S', 'D', 'I'])} ==> next_comm={new} "
                    f"next_pid={draw.randint(0, 4 * 10**6)} next_prio={draw.choice([120, -1, 98])}")
            (raw / f"{stem}.txt").write_bytes(("\n".join(lines) + "\n").encode())
            if told:
                meta = {"trace_id": stem, "workload_name": f"{kind}, no. {number}", "category": kind}
                for key in draw.sample(list(meta), draw.choice([0, 0, 1])):
                    del meta[key]
                (raw / f"{stem}.json").write_text(json.dumps(meta))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        build(Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), sys.argv[6] == "unseen",
              Path(sys.argv[7]))
