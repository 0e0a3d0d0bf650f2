#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""metrics_agree.py PICKNEXT SHOW_METRICS OPERAND...: every figure of every run of the sets of runs is
what the slow reference says (reference_metrics.py); throughput is what the JSON beside the trace says, and the causes of
migrations are those of picknext migrations, which tests/vm/truth.bash knows. Prints what differs, and ends with 1 then. Percentiles have four digits or more, as picknext promises; sums and counts are equal.

A trace that lacks switches is brought up to date in different ways by picknext and by the reference: it is not compared.
If no run is left, the exit code is 75."""
import collections
import csv
import io
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference_metrics  # noqa: E402

CAUSES = ("wakeup", "pull", "active-balance")
OURS = {  # the reference's figure: picknext's name, and how near it has to be
    "switches": ("switches_per_s", 1e-9),
    "involuntary_share": ("involuntary_share", 1e-9),
    "slice_mean": ("slice_mean_us", 1e-9),
    "slice_p50": ("slice_p50_us", 5e-4),
    "slice_p90": ("slice_p90_us", 5e-4),
    "slice_p99": ("slice_p99_us", 5e-4),
    "wakeup_p50": ("wakeup_latency_p50_us", 5e-4),
    "wakeup_p90": ("wakeup_latency_p90_us", 5e-4),
    "wakeup_p99": ("wakeup_latency_p99_us", 5e-4),
    "wakeup_max": ("wakeup_latency_max_us", 1e-9),
    "preempted_p50": ("preempted_wait_p50_us", 5e-4),
    "preempted_p99": ("preempted_wait_p99_us", 5e-4),
    "migrations": ("migrations_per_s", 1e-9),
    "fork_share": ("migrations_fork_share", 1e-9),
    "fairness": ("fairness_jain", 1e-9),
    "run_queue": ("run_queue_length", 1e-9),
    "idle_waiting": ("idle_waiting_ms_per_s", 1e-9),
    "idle_share": ("idle_share", 1e-9),
    "moved cache": ("migrations_cache_per_s", 1e-9),
    "moved node": ("migrations_node_per_s", 1e-9),
    "moved up": ("migrations_up_per_s", 1e-9),
    "moved down": ("migrations_down_per_s", 1e-9),
    "misfit": ("misfit_ms_per_s", 1e-9),
    "on largest": ("largest_cpus_share", 1e-9),
    "capacity used": ("capacity_used_share", 1e-9),
    "idle waiting cache": ("idle_waiting_cache_ms_per_s", 1e-9),
}


class Comparison:
    def __init__(self, program):
        self.program = program
        self.names = {row["name"]: row["task_names"].split() for row in json.loads(self.run("list", "--json"))}
        self.tasks = {row["name"]: row["tasks"] for row in json.loads(self.run("list", "--json"))}
        self.differing = 0
        self.figures = 0

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode("latin-1")

    def same(self, run, name, ours, theirs, tolerance=0.0):
        self.figures += 1
        if ours is None or theirs is None:
            agree = ours is None and theirs is None
        else:  # picknext prints nine decimals
            agree = math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=1e-8 if isinstance(theirs, float) else 0)
        if not agree:
            self.differing += 1
            print(f"{run['path']}: {name}: picknext {ours}, expected {theirs}")

    def text_of(self, path):
        if not path.endswith(".txt"):
            return self.run("export", "--format", "text", "--ns", path)
        with open(path, encoding="latin-1", newline="\n") as file:
            return file.read()

    def strangers(self, path):
        """Where it is none of picknext's own workloads, all tasks belong to it but these."""
        tasks = json.loads(self.run("stat", "--json", "--top", "0", path))["tasks"]
        return {task["comm"] for task in tasks if task["kind"] == "kernel"} | {"picknext", "picknext-lead"}

    def metadata(self, run):
        try:
            with open(os.path.splitext(run["path"])[0] + ".json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def compare(self, run):
        names = self.names.get(run["workload"])
        metadata = self.metadata(run)
        roots = [] if names else [pid for pid in [metadata.get("command_pid"), *metadata.get("threads", [])] if pid]
        stat = json.loads(self.run("stat", "--json", "--top", "1", run["path"]))
        if stat["trace"]["missing_switches"]:
            print(f"{run['path']}: {stat['trace']['missing_switches']} switches left out: not compared")
            return False
        cpus = metadata.get("cpus_workload")
        cpus = cpus and sorted(reference_metrics.cpus_of(cpus))
        topology = metadata.get("topology") or {}
        strangers = () if names or roots else self.strangers(run["path"])
        text = self.text_of(run["path"])
        tasks = metadata.get("tasks") or self.tasks.get(run["workload"], 0)
        reference = reference_metrics.read(text.split("\n"), names, cpus, strangers, roots, tasks if names else 0, topology)

        def is_ours(row):
            if roots:
                return int(row["pid"]) in reference["pids"]
            return row["comm"] in names if names else not row["comm"].startswith("swapper/") and row["comm"] not in strangers

        known = bool(names or roots)
        self.against_reference(run, reference, known)
        self.against_reference({"path": run["path"] + ", steady part", **run["steady"]}, reference.get("steady", {}), known)
        if reference.get("migrations") is None:  # not recorded, or nothing of the workload is seen
            for name, value in run["metrics"].items():
                if name.startswith("migrations") and name != "migrations_fork_share":
                    self.same(run, name, value, None)
        else:
            self.against_migrations(run, is_ours)
        self.same(run, "throughput_per_s", run["metrics"]["throughput_per_s"], metadata.get("work_per_second"), 1e-9)
        return True

    def against_reference(self, run, reference, known):
        for key in "unread_lines", "inconsistent":
            self.same(run, key, 0, reference.get(key, 0))
        for key in "duration_ns", "slices", "wakeups":
            self.same(run, key, run[key], reference.get(key, 0))
        for key, (name, tolerance) in OURS.items():
            if key == "fairness" and not known:  # tasks of whoever's program need not be equal
                self.same(run, name, run["metrics"][name], None)
            else:
                self.same(run, name, run["metrics"][name], reference.get(key), tolerance)

    def against_migrations(self, run, is_ours):
        listed = self.run("migrations", "--list", "--csv", run["path"])
        moves = [row for row in csv.DictReader(io.StringIO(listed)) if is_ours(row)]
        causes = collections.Counter(row["cause"] for row in moves)
        if not run["duration_ns"]:
            return
        causes.pop("fork", 0)
        seconds = run["duration_ns"] / 1e9
        self.same(run, "migrations", run["metrics"]["migrations_per_s"], sum(causes.values()) / seconds, 1e-9)
        for cause in CAUSES:
            ours = run["metrics"][f"migrations_{cause.replace('-', '_')}_per_s"]
            self.same(run, f"migrations: {cause}", ours, causes.pop(cause, 0) / seconds, 1e-9)
        self.same(run, "migrations: other", run["metrics"]["migrations_other_per_s"], sum(causes.values()) / seconds, 1e-9)


def main():
    program, show, *operands = sys.argv[1:]
    comparison = Comparison(program)
    # Each on its own: together they would be compared, and lone traces need the same workload for that.
    shown = [subprocess.run([show, operand], stdout=subprocess.PIPE, check=True).stdout for operand in operands]
    runs = [run for text in shown for runs in json.loads(text) for run in runs["runs"]]
    compared = sum(comparison.compare(run) for run in runs)
    print(f"{compared} of {len(runs)} runs compared, {comparison.figures} figures, {comparison.differing} differ")
    if not compared:
        sys.exit(75)
    sys.exit(1 if comparison.differing else 0)


main()
