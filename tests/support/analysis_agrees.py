#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analysis_agrees.py PICKNEXT TRACE [MISSING_MAX]: what `picknext stat` and `picknext latency` say of every task of the
trace is what the slow reference says, figure by figure: counts, sums, least and most are equal, percentiles have the
four digits that picknext promises or more. Prints what differs, and ends with 1 then.

Some kernels leave out switches into tasks that were just woken; picknext and the reference bring such a CPU up to date
in different ways, so tasks may differ then: at most MISSING_MAX (0) such switches are put up with, and with each one two
tasks that differ. With more of them it ends with 75: nothing can be said."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference_analysis  # noqa: E402


def picknext(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return done.stdout


def percentile(ordered, per_mille):
    """The smallest value such that at least that share is not above it."""
    return ordered[max(0, -(-len(ordered) * per_mille // 1000) - 1)]


def near(ours, theirs):
    return abs(ours - theirs) <= max(1, 5e-4 * theirs)


def compare_waits(key, ours, waits, complain):
    if not ours:
        if waits:
            complain(key, "waits", 0, len(waits))
        return
    expected = {
        "waits": len(waits),
        "wait_sum_ns": sum(waits),
        "wait_max_ns": max(waits, default=None),
    }
    for name, value in expected.items():
        if ours[name] != value:
            complain(key, name, ours[name], value)
            return
    for name, per_mille in (("wait_p50_ns", 500), ("wait_p90_ns", 900), ("wait_p99_ns", 990), ("wait_p999_ns", 999)):
        if not near(ours[name], percentile(waits, per_mille)):
            complain(key, name, ours[name], percentile(waits, per_mille))


def key_of(row):
    return row["comm"] if row["pid"] == 0 else str(row["pid"])


def main():
    program, trace = sys.argv[1:3]
    most_missing = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    text = picknext(program, "export", "--format", "text", "--ns", trace).decode("latin-1")
    reference = reference_analysis.read(text.split("\n"))
    stat = json.loads(picknext(program, "stat", "--json", "--top", "0", trace))
    latency = json.loads(picknext(program, "latency", "--json", "--top", "0", trace))
    differing = {}

    def complain(key, name, ours, theirs):
        differing.setdefault(key, []).append(f"{name}: picknext {ours}, reference {theirs}")

    if reference["unread_lines"]:
        complain("text", "lines that the reference cannot read", 0, reference["unread_lines"])
    if stat["trace"]["missing_switches"] > most_missing:
        print(f"this kernel left out {stat['trace']['missing_switches']} switches")
        sys.exit(75)
    for row in stat["cpus"]:
        if row["switches"] != reference["switches"][row["cpu"]]:
            complain(f"CPU {row['cpu']}", "switches", row["switches"], reference["switches"][row["cpu"]])
    # A PID that is used again is another task for picknext, and the same for the reference.
    rows = {}
    for row in stat["tasks"]:
        rows.setdefault(key_of(row), []).append(row)
    seen = 0
    for key, task in reference["tasks"].items():
        if len(rows.get(key, [])) > 1:
            continue
        if key not in rows:
            if task["slices"] or task["wakeups"]:
                complain(key, "task", "unknown", task["comm"])
            continue
        row = rows[key][0]
        seen += 1
        for ours, theirs in (
            (row["slices"], task["slices"]),
            (row["slice_min_ns"], task["slice_min_ns"]),
            (row["slice_max_ns"], task["slice_max_ns"]),
            (row["switches_voluntary"], task["voluntary"]),
            (row["switches_preempted"], task["preempted_in_kernel"]),
            (row["switches_runnable"], task["involuntary"] - task["preempted_in_kernel"]),
            (row["wakeups"] + row["spurious_wakeups"], task["wakeups"]),
            (row["spurious_wakeups"], task["spurious"]),
            (row["migrations"], task["migrations"]),
        ):
            if ours != theirs:
                complain(key, "figure of stat", ours, theirs)
        if row["cpu_time_ns"] < task["runtime_ns"]:
            complain(key, "CPU time less than its whole slices", row["cpu_time_ns"], task["runtime_ns"])
        for cause in ("wakeup", "preempted"):
            of_cause = [r for r in latency[cause] if key_of(r) == key]
            waits = task["waits"].get(cause, {}).get("sorted_ns", [])
            if cause == "wakeup":
                waits = sorted(waits + task["waits"].get("new", {}).get("sorted_ns", []))
            compare_waits(key, of_cause[0] if of_cause else None, waits, complain)
    allowed = 2 * stat["trace"]["missing_switches"]
    for key, lines in differing.items():
        print(f"{key} ({reference['tasks'].get(key, {}).get('comm', '')}): " + "; ".join(lines))
    print(f"{seen} tasks compared, {len(differing)} differ, at most {allowed} may")
    if seen < 5:
        print("too few tasks to mean anything")
    sys.exit(1 if len(differing) > allowed or seen < 5 else 0)


main()
