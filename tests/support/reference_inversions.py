#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent, slow account of priority inversions, from the kernel's own text of a trace with nanoseconds
(picknext export --format text --ns). It shares nothing with picknext but that text: tests compare the two.

Usage: reference_inversions.py FILE [TASK...]     prints one JSON object: {"WAITING/PRIO RUNNING/PRIO": ns}

At every moment between two events, each waiting task with one of these names (none: all) is inverted with the running
task of the lowest priority among the CPUs that it waits for or ran on before, if that priority is lower than its own;
and then with this task for as long as it runs there and has a lower priority.
Priorities are those that the trace shows: sched_pi_setprio at once. A change that no event records happened at some
time between the last event that showed the old priority and the first that shows the new one; a moment of that time
counts only if the two were inverted either way. The whole trace is read first, so that this is known beforehand."""
import bisect
import collections
import json
import re
import sys

LINE = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?:\S+ +)?(?P<s>\d+)\.(?P<frac>\d+): (?P<event>\w+): (?P<rest>.*)$")
SWITCH = re.compile(r"^prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)$")
TASK = re.compile(r"^comm=(.*) pid=(\d+) prio=(-?\d+) (.*)$")
RECORDED = ("sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_pi_setprio")
SET = re.compile(r"^comm=(.*) pid=(\d+) oldprio=(-?\d+) newprio=(-?\d+)$")


def read(lines):
    for line in lines:
        match = LINE.match(line.rstrip("\n"))
        if match:
            now = int(match["s"]) * 10**9 + int(match["frac"].ljust(9, "0"))
            yield now, int(match["cpu"]), int(match["pid"]), match["event"], match["rest"]


def observations(events):
    """pid: a list of (time, priority just before, priority just after)."""
    seen = collections.defaultdict(list)
    for now, _, _, event, rest in events:
        if event == "sched_switch":
            f = SWITCH.match(rest)
            seen[int(f[2])].append((now, int(f[3]), int(f[3])))
            seen[int(f[6])].append((now, int(f[7]), int(f[7])))
        elif event in RECORDED[1:4]:
            f = TASK.match(rest)
            seen[int(f[2])].append((now, int(f[3]), int(f[3])))
        elif event == "sched_pi_setprio":
            f = SET.match(rest)
            seen[int(f[2])].append((now, int(f[3]), int(f[4])))
    return seen


class Priorities:
    def __init__(self, events):
        self.seen = observations(events)
        self.times = {pid: [it[0] for it in seen] for pid, seen in self.seen.items()}

    def between(self, pid, start):
        """The priorities of the task just after start: as last seen, and as seen next."""
        at = bisect.bisect_right(self.times[pid], start)
        seen = self.seen[pid]
        if at == 0:
            return None
        known = seen[at - 1][2]
        return known, seen[at][1] if at < len(seen) else known


def account(events, names):
    priorities = Priorities(events)
    running, waiting, used, comms = {}, {}, collections.defaultdict(set), {}
    totals = collections.Counter()
    blamed = {}  # waiting task: the running task and its CPU
    last = None

    def add(start, end):
        for task in [task for task in blamed if task not in waiting]:
            del blamed[task]
        for task, cpu in waiting.items():
            mine = priorities.between(task, start)
            if (names and comms[task] not in names) or mine is None:
                continue
            allowed = used[task] | {cpu}
            others = [(priorities.between(pid, start), pid, place) for place, pid in running.items() if pid and place in allowed]
            others = [(prio, pid, place) for prio, pid, place in others if prio]
            if mine[0] < 0:
                others = [it for it in others if comms[it[1]] != f"migration/{it[2]}"]
            others = [it for it in others if it[0][0] > mine[0]]
            before = [it for it in others if (it[1], it[2]) == blamed.get(task)]
            blamed.pop(task, None)
            if not others:
                continue
            lowest = max(prio[0] for prio, _, _ in others)
            prio, pid, place = before[0] if before else min(
                (it for it in others if it[0][0] == lowest), key=lambda it: (it[2] != cpu, it[2]))
            blamed[task] = pid, place
            if max(mine) < min(prio):
                totals[f"{comms[task]}/{mine[0]} {comms[pid]}/{prio[0]}"] += end - start

    for now, cpu, by, event, rest in events:
        if last is not None and now > last:
            add(last, now)
        last = now
        # Some kernels leave out single switches; each event names the task that runs.
        if event in RECORDED and running.get(cpu) != by:
            waiting.pop(by, None)
            running[cpu] = by
            used[by].add(cpu)
        if event == "sched_switch":
            f = SWITCH.match(rest)
            prev, following = int(f[2]), int(f[6])
            comms[prev], comms[following] = f[1], f[5]
            if f[4].startswith("R") and prev:
                waiting[prev] = cpu
            used[prev].add(cpu)
            waiting.pop(following, None)
            running[cpu] = following
            used[following].add(cpu)
        elif event in ("sched_wakeup", "sched_wakeup_new"):
            f = TASK.match(rest)
            comms[int(f[2])] = f[1]
            if int(f[2]) not in running.values():
                waiting.setdefault(int(f[2]), int(re.search(r"target_cpu=(\d+)", f[4])[1]))
        elif event == "sched_migrate_task":
            f = TASK.match(rest)
            if int(f[2]) in waiting:
                waiting[int(f[2])] = int(re.search(r"dest_cpu=(\d+)", f[4])[1])
    return totals


if __name__ == "__main__":
    with open(sys.argv[1], encoding="latin-1", newline="\n") as text:
        json.dump(account(list(read(text)), set(sys.argv[2:])), sys.stdout)
        print()
