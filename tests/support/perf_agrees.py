#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perf_agrees.py PICKNEXT OURS.dat PERF.data: compares what `picknext stat` and `picknext latency` say of the tasks of
known_truth with what perf sched timehist and perf sched latency say of the same run, recorded by both at once.

The two have buffers of their own and read the clock one after the other, so single times differ by a microsecond or so,
and perf prints microseconds. Where a kernel leaves out a switch, perf gives the time to whoever was switched out next,
and picknext calls it unknown: a task whose counts differ for that is named, and left out as long as there are no more of
them than switches missing. What must be equal: how often each task ran and waited. What must be close: CPU time (2 % or
2 us a slice), the mean wait (20 % or 2 us) and the longest (5 % or 5 us): where the machine is stopped between the two
at an event, as a virtual one is, a single wait shows it, so that the longest of one task may differ.
Ends with 75 where so many switches are missing that less than three tasks are left to compare."""
import json
import re
import subprocess
import sys

NAMES = ("ping", "pong", "burner", "mover", "rt-burner", "low-burner")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode("latin-1")


def main():
    program, ours, theirs = sys.argv[1:4]
    stat = json.loads(output(program, "stat", "--json", "--top", "0", ours))
    latency = json.loads(output(program, "latency", "--json", "--top", "0", ours))
    tasks = {t["pid"]: t for t in stat["tasks"] if t["comm"] in NAMES}
    timehist, delays = {}, {}
    for line in output("perf", "sched", "timehist", "-s", "-i", theirs).split("\n"):
        match = re.match(r"\s*\S+\[(\d+)\]\s+-?\d+\s+(\d+)\s+([\d.]+)", line)
        if match:
            timehist[int(match[1])] = (int(match[2]), float(match[3]) * 1e6)
    for line in output("perf", "sched", "latency", "-p", "-i", theirs).split("\n"):
        match = re.match(r"\s*\S+:(\d+)\s*\|\s*[\d.]+ ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+) ms", line)
        if match:
            delays[int(match[1])] = (int(match[2]), float(match[3]) * 1e6, float(match[4]) * 1e6)
    agree, differ, stopped = 0, [], []
    for pid, task in sorted(tasks.items()):
        waits = [t for kind in ("wakeup", "preempted") for t in latency[kind] if t["pid"] == pid]
        count = sum(t["waits"] for t in waits)
        if any(t["wait_sum_ns"] is None for t in waits):  # a missing switch was of this task
            differ.append(task["comm"])
            continue
        total = sum(t["wait_sum_ns"] for t in waits)
        longest = max(t["wait_max_ns"] for t in waits)
        if pid not in timehist or pid not in delays:
            sys.exit(f"perf does not know {task['comm']} ({pid})")
        runs, runtime = timehist[pid]
        perf_count, perf_mean, perf_longest = delays[pid]
        print(f"{task['comm']:11} ran {task['slices']} times, {task['cpu_time_ns'] / 1e3:.0f} us; waited {count} times, mean {total / count / 1e3:.1f} us, longest {longest / 1e3:.1f} us")
        print(f"{'perf':>11}     {runs} times, {runtime / 1e3:.0f} us;        {perf_count} times, mean {perf_mean / 1e3:.1f} us, longest {perf_longest / 1e3:.1f} us")
        if (task["slices"], count) != (runs, perf_count):
            differ.append(task["comm"])
            continue
        agree += 1
        assert abs(task["cpu_time_ns"] - runtime) <= max(0.02 * runtime, 2000 * runs), "CPU time"
        assert abs(total / count - perf_mean) <= max(0.2 * perf_mean, 2000), "mean wait"
        if abs(longest - perf_longest) > max(0.05 * perf_longest, 5000):
            stopped.append(task["comm"])
    missing = stat["trace"]["missing_switches"]
    print(f"{agree} tasks agree; {', '.join(differ) or 'none'} counted differently, with {missing} switches missing")
    assert len(differ) <= missing
    assert len(stopped) <= 1, f"longest wait of {', '.join(stopped)}"
    if agree < 3:
        sys.exit(75)


main()
