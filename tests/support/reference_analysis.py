#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent, slow account of what tasks did, from the kernel's own text of a trace with nanoseconds
(picknext export --format text --ns). It shares nothing with picknext but that text: tests compare the two.

Usage: reference_analysis.py [FILE]     prints one JSON object

Definitions: a slice lasts from the switch to a task to the switch away from it on the same CPU; what ran before the
first switch of a CPU, and what still runs at the last event, is not counted. A switch is involuntary where the state
begins with R, but of an idle task, which always shows R and always leaves of itself. A wait begins at the first wakeup of a task that is neither running nor waiting (kind wakeup, or new for
sched_wakeup_new), or at a switch away from it with state R (kind preempted), and ends at the next switch to it."""
import collections
import json
import re
import sys

LINE = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?:\S+ +)?(?P<s>\d+)\.(?P<frac>\d+): (?P<event>\w+): (?P<rest>.*)$")
SWITCH = re.compile(r"^prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)$")
WAKEUP = re.compile(r"^comm=(.*) pid=(\d+) prio=(-?\d+) (?:success=1 )?target_cpu=(\d+)$")
MIGRATE = re.compile(r"^comm=(.*) pid=(\d+) prio=(-?\d+) orig_cpu=(\d+) dest_cpu=(\d+)$")


def key_of(pid, cpu):
    """Every CPU has an idle task of its own, all with pid 0."""
    return f"swapper/{cpu}" if pid == 0 else str(pid)


class Task:
    def __init__(self):
        self.comm = ""
        self.runtime_ns = 0
        self.slices = []
        self.voluntary = 0
        self.involuntary = 0
        self.preempted_in_kernel = 0
        self.wakeups = 0
        self.spurious = 0
        self.migrations = 0
        self.waits = collections.defaultdict(list)


def read(lines):
    tasks = collections.defaultdict(Task)
    switches = collections.Counter()
    running = {}  # cpu: (task, since)
    on_cpu = {}  # task: cpu
    waiting = {}  # task: (kind, since)
    parked = set()  # CPUs whose hotplug thread has done its part
    last_stoppers = set()  # that run there since
    dead = set()
    first = {}
    last = 0
    unread = 0
    resynchronised = 0
    for line in lines:
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        match = LINE.match(line)
        if not match:
            unread += 1
            continue
        cpu = int(match["cpu"])
        now = int(match["s"]) * 10**9 + int(match["frac"].ljust(9, "0"))
        last = max(last, now)
        first.setdefault(cpu, now)
        # A thread that called exec has the PID of its dead leader from now on.
        by, current = key_of(int(match["pid"]), cpu), running.get(cpu)
        if current and current[0] != by and by in dead:
            tasks.pop(current[0])
            on_cpu.pop(current[0], None)
            dead.discard(by)
            running[cpu] = (by, current[1])
            on_cpu[by] = cpu
        if match["event"] == "sched_switch":
            fields = SWITCH.match(match["rest"])
            prev, state, following = key_of(int(fields[2]), cpu), fields[4], key_of(int(fields[6]), cpu)
            switches[cpu] += 1
            tasks[prev].comm, tasks[following].comm = fields[1], fields[5]
            current = running.get(cpu)
            if current and current[0] == prev:
                tasks[prev].slices.append(now - current[1])
                tasks[prev].runtime_ns += now - current[1]
            elif current:
                resynchronised += 1
                on_cpu.pop(current[0], None)
                waiting.pop(prev, None)
            on_cpu.pop(prev, None)
            last_stoppers.discard(prev)
            if state[0] in "XZ":
                dead.add(prev)
            if fields[1] == f"cpuhp/{cpu}":
                parked.discard(cpu)
                parked.update({cpu} if state.startswith("P") else ())
            if state.startswith("R") and not prev.startswith("swapper"):
                tasks[prev].involuntary += 1
                tasks[prev].preempted_in_kernel += state == "R+"
                waiting[prev] = ("preempted", now)
            else:
                tasks[prev].voluntary += 1
            if following in waiting:
                kind, since = waiting.pop(following)
                tasks[following].waits[kind].append(now - since)
            running[cpu] = (following, now)
            on_cpu[following] = cpu
            if cpu in parked and fields[5] == f"migration/{cpu}":
                last_stoppers.add(following)
        elif match["event"] in ("sched_wakeup", "sched_wakeup_new"):
            fields = WAKEUP.match(match["rest"])
            task = key_of(int(fields[2]), cpu)
            tasks[task].comm = fields[1]
            tasks[task].wakeups += 1
            dead.discard(task)
            # The stopper has taken the CPU offline: that it left is not recorded.
            if task in last_stoppers:
                last_stoppers.discard(task)
                on_cpu.pop(task, None)
            if task in on_cpu or task in waiting:
                tasks[task].spurious += 1
            else:
                waiting[task] = ("new" if match["event"] == "sched_wakeup_new" else "wakeup", now)
        elif match["event"] == "sched_migrate_task":
            fields = MIGRATE.match(match["rest"])
            tasks[key_of(int(fields[2]), cpu)].migrations += 1
    return {
        "unread_lines": unread,
        "resynchronised": resynchronised,
        "first_ns": first,
        "last_ns": last,
        "switches": switches,
        "tasks": {
            name: {
                "comm": task.comm,
                "runtime_ns": task.runtime_ns,
                "slices": len(task.slices),
                "slice_min_ns": min(task.slices, default=None),
                "slice_max_ns": max(task.slices, default=None),
                "voluntary": task.voluntary,
                "involuntary": task.involuntary,
                "preempted_in_kernel": task.preempted_in_kernel,
                "wakeups": task.wakeups,
                "spurious": task.spurious,
                "migrations": task.migrations,
                "waits": {kind: {"count": len(w), "sum_ns": sum(w), "max_ns": max(w), "sorted_ns": sorted(w)} for kind, w in task.waits.items()},
            }
            for name, task in sorted(tasks.items())
        },
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="latin-1", newline="\n") if len(sys.argv) > 1 else sys.stdin as text:
        json.dump(read(text), sys.stdout)
        print()
