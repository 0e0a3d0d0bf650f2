#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures of one run as src/compare/run_metrics.h defines them, told anew and slowly from the kernel's own text of
its trace with nanoseconds (picknext export --format text --ns). It shares nothing with picknext but that text.

Usage: reference_metrics.py FILE NAME,NAME... [CPU,CPU...]     prints one JSON object
The names are those of the workload's tasks; the CPUs those that it may use, all where there are none.

Only for traces that lost nothing. Migrations are counted here but not told apart by cause."""
import collections
import json
import sys

from reference_analysis import LINE, MIGRATE, SWITCH, WAKEUP

IDLE = 0


def share(part, whole, scale=1):
    return scale * part / whole if whole else None


AWAKE_NS = 100_000_000  # how long a misfit has not slept
LEVELS = ("same_cpu", "smt", "llc", "node", "remote")


def cpus_of(text):
    """The CPUs of a list such as 0-2,4."""
    parts = [part.split("-") for part in text.split(",") if part]
    return {cpu for part in parts for cpu in range(int(part[0]), int(part[-1]) + 1)}


class Levels:
    """How near two CPUs are: topology is what the metadata have of it, with groups such as "0-1 2-3"."""

    def __init__(self, topology, cpus):
        self.groups = {level: [cpus_of(group) for group in (topology.get(level) or "").split()] for level in LEVELS[1:4]}
        groups = [group.split("=") for group in (topology.get("capacity") or "").split()]
        self.capacity = {cpu: int(capacity) for numbers, capacity in groups for cpu in cpus_of(numbers)}
        known = [self.capacity.get(cpu) for cpu in cpus or ()]
        self.largest = max(known) if None not in known and len(set(known)) > 1 else None
        self.seen = {self.between(one, other) for one in cpus or () for other in cpus if one != other}

    def between(self, one, other):
        if one == other:
            return "same_cpu"
        for level in LEVELS[1:4]:
            if any({one, other} <= group for group in self.groups[level]):
                return level
        return "remote" if self.groups["node"] else "node"

    def are_known(self):
        return len(self.seen) > 1


class Task:
    """One life of a PID."""

    def __init__(self, pid):
        self.pid = pid
        self.comm = None
        self.state = "unknown"
        self.cpu = None  # where it waits
        self.awake = None  # since its wakeup or birth; None: not known
        self.since = None  # of state; None while running since before its CPU's first event
        self.cause = None
        self.cpu_ns = 0
        self.ran_on = None
        self.used = set()  # CPUs that it ran on, was woken on or moved to
        self.has_run = False
        self.unsteady_ns = 0  # CPU time before the steady part
        self.is_ours = False  # with roots: one of them, or made by one of ours
        self.is_child = False  # with names: made by a task with one of them, whose name it has


class Cpu:
    def __init__(self):
        self.current = None
        self.since = None
        self.start_seen = False


class Run:
    def __init__(self, names, cpus=None, strangers=(), roots=(), tasks=0, topology=None):
        self.names = None if names is None else set(names)
        self.strangers = set(strangers)
        self.roots = set(roots)
        self.cpus = None if cpus is None else set(cpus)
        self.lives = {}  # pid: its latest life
        self.all_tasks = []
        self.on = {}  # cpu: Cpu
        self.first = self.now = None
        # Sums up to now, those at the workload's first event, and those at its latest.
        self.sums = collections.Counter()
        self.at_begin = self.at_end = None
        self.begin = self.end = None
        self.slices, self.wakeups, self.preempted = [], [], []
        self.out = self.involuntary = self.ran = self.ran_on_largest = 0
        self.migrations = self.forks = self.new = 0
        self.moved = collections.Counter()  # by how near the CPUs are
        self.kinds = set()  # of the events there are
        self.was_moved = False  # a task of the workload has run on two CPUs
        self.fairness = {}  # name: (index, tasks) as the first of them ended
        # The steady part: from when all tasks have run once to the first exit, but for one task in twenty.
        self.tasks = tasks
        self.started = self.ended = 0
        self.steady = None  # a Run's counts at its begin, then the figures
        self.steady_over = False
        self.levels = Levels(topology or {}, cpus)
        self.unread = 0
        self.inconsistent = 0

    # The state now

    def counts(self, cpu):
        return self.cpus is None or cpu in self.cpus

    def works(self, task, comm=None):
        comm = task.comm if comm is None else comm
        if self.roots:
            return task.is_ours
        return task.pid != IDLE and (comm not in self.strangers if self.names is None else comm in self.names)

    def waiting(self):
        return [task for task in self.lives.values() if task.state == "waiting"]

    def advance(self, now):
        """Adds what held since the event before."""
        span = now - self.now
        self.now = now
        if span == 0:
            return
        known = {cpu: at.current for cpu, at in self.on.items() if self.counts(cpu)}
        idle = {cpu for cpu, task in known.items() if task.pid == IDLE}
        for cpu, task in known.items() if self.levels.largest else ():
            if self.works(task) and task.awake and any(self.levels.capacity[other] > self.levels.capacity[cpu] for other in idle):
                self.sums["misfit"] += max(0, now - max(now - span, task.awake + AWAKE_NS))
            self.sums["capacity"] += span * self.levels.capacity[cpu]
            self.sums["capacity used"] += span * self.levels.capacity[cpu] * self.works(task)
        waiting = self.waiting()
        self.sums["cpu"] += span * len(known)
        self.sums["idle"] += span * len(idle)
        self.sums["queued"] += span * (len(known) - len(idle) + sum(task.cpu in known for task in waiting))
        if idle:
            for task in waiting:
                # Where the workload's CPUs are known, it may use all of them.
                beside = (idle & task.used if self.cpus is None else idle) - {task.cpu}
                if self.counts(task.cpu) and beside:
                    self.sums["idle waiting"] += span * self.works(task)
                    nearest = min((self.levels.between(task.cpu, cpu) for cpu in beside), key=LEVELS.index)
                    self.sums["idle waiting cache"] += span * self.works(task) * (nearest in ("smt", "llc"))

    def workload_is_seen(self):
        if self.begin is None:
            self.begin, self.at_begin = self.now, self.sums.copy()
        self.end, self.at_end = self.now, self.sums.copy()

    def life(self, pid, cpu, comm=None):
        key = ("idle", cpu) if pid == IDLE else pid
        if key not in self.lives:
            self.lives[key] = Task(pid)
            self.lives[key].is_ours = pid in self.roots
            self.all_tasks.append(self.lives[key])
        if comm is not None:
            self.lives[key].comm = comm
        return self.lives[key]

    def new_life(self, pid, comm):
        self.lives.pop(pid, None)
        return self.life(pid, None, comm)

    # Events

    def seen_running(self, cpu, pid):
        """The first event of a CPU tells who ran there since the trace began."""
        if cpu in self.on:
            self.inconsistent += self.on[cpu].current is not self.life(pid, cpu)
            return
        at = self.on[cpu] = Cpu()
        at.current, at.since = self.life(pid, cpu), self.first
        at.current.state = "running"
        at.current.used.add(cpu)

    def jain(self, comm):
        """Over the CPU time so far of all tasks of the name, of what runs up to now."""
        times = []
        for task in self.all_tasks:
            if task.comm != comm or not self.works(task) or task.state == "unseen" or task.is_child:
                continue
            running = sum(self.now - at.since for at in self.on.values() if at.current is task)
            times.append(task.cpu_ns + running)
        squares = sum(time * time for time in times)
        if len(times) < 2 or not squares:
            return None
        return sum(times) ** 2 / (len(times) * squares), len(times)

    def counted(self):
        return {"at": self.now, "sums": self.sums.copy(), "slices": len(self.slices), "wakeups": len(self.wakeups),
                "preempted": len(self.preempted), "out": self.out, "involuntary": self.involuntary,
                "ran": self.ran, "ran_on_largest": self.ran_on_largest,
                "moves": self.migrations, "moved": self.moved.copy(), "forks": self.forks, "new": self.new}

    def time_so_far(self, task):
        return task.cpu_ns + sum(self.now - at.since for at in self.on.values() if at.current is task)

    def task_starts(self, task):
        if task.is_child:
            return
        self.started += not task.has_run
        if not task.has_run and self.started == self.tasks - self.tasks // 20 and not self.steady_over:
            self.steady = self.counted()
            for each in self.all_tasks:
                each.unsteady_ns = self.time_so_far(each)
        task.has_run = True

    def task_ends(self, task):
        if task.is_child:
            return
        self.ended += 1
        task.ended_at = self.ended
        if self.ended == self.tasks // 20 + 1 and not self.steady_over:
            self.steady_over = True
            self.end_steady()

    def end_steady(self):
        if not self.steady:
            return
        begin, end, fair = self.steady, self.counted(), []
        for comm in self.names:
            times = [self.time_so_far(task) - task.unsteady_ns for task in self.all_tasks if task.comm == comm
                     and task.state != "unseen" and not task.is_child and getattr(task, "ended_at", self.ended + 1) > self.tasks // 20]
            if len(times) >= 2 and any(times):
                fair.append((sum(times) ** 2 / (len(times) * sum(time * time for time in times)), len(times)))
        self.steady = self.part(begin, end, share(sum(index * count for index, count in fair), sum(count for _, count in fair)))

    def runs_on(self, task, cpu):
        self.was_moved |= task.cpu_ns > 0 and task.ran_on != cpu
        task.ran_on = cpu

    def switch(self, cpu, prev_pid, prev_comm, state, next_pid, next_comm):
        self.seen_running(cpu, prev_pid)
        at = self.on[cpu]
        prev = self.life(prev_pid, cpu, prev_comm)
        length = self.now - at.since
        if self.works(prev, prev_comm) and self.counts(cpu):
            self.runs_on(prev, cpu)
        prev.cpu_ns += length
        prev.used.add(cpu)
        self.sums["switches"] += self.counts(cpu)
        prev.since = self.now
        if prev_pid != IDLE:
            prev.state = "waiting" if state[0] == "R" else "dead" if state[0] in "XxZ" else "sleeping"
        if prev.state == "waiting":
            prev.cpu, prev.cause = cpu, "preempted"
        works = self.works(prev) and self.counts(cpu)
        # A wait belongs to the time before this event, which may end the steady part.
        following = self.life(next_pid, cpu)
        if next_pid != IDLE and following.state == "dead":
            following = self.new_life(next_pid, next_comm)
        following.comm = next_comm
        if following.state == "waiting" and self.works(following) and self.counts(cpu):
            (self.preempted if following.cause == "preempted" else self.wakeups).append(self.now - following.since)
        at.since = self.now
        if works:
            self.task_starts(prev)
            self.out += 1
            self.ran += length
            self.ran_on_largest += length * (self.levels.capacity.get(cpu) == self.levels.largest)
            self.involuntary += state[0] == "R"
            if at.start_seen:
                self.slices.append(length)
            if prev.state == "dead":
                self.task_ends(prev)
        at.current, at.since, at.start_seen = following, self.now, True
        following.state = "running"
        following.used.add(cpu)
        if works or (self.works(following) and self.counts(cpu)):
            self.workload_is_seen()
        if self.works(following) and self.counts(cpu):
            self.task_starts(following)
        if works and prev.state == "dead" and not prev.is_child and prev.comm not in self.fairness:
            self.fairness[prev.comm] = self.jain(prev.comm)

    def wakeup(self, cpu, by, pid, comm, target, is_new):
        self.seen_running(cpu, by)
        known = pid in self.lives
        task = self.life(pid, target, comm)
        if (is_new and known and task.state != "unseen") or task.state == "dead":
            task = self.new_life(pid, comm)
        if is_new:
            task.is_ours = self.on[cpu].current.is_ours
            task.is_child = self.names is not None and self.works(self.on[cpu].current)
        task.used.add(target)
        if self.works(task):
            self.workload_is_seen()
            self.forks += is_new and target != cpu
            self.new += is_new
        if task.state not in ("running", "waiting"):
            task.state, task.cause, task.since, task.cpu = "waiting", "wakeup", self.now, target
            task.awake = self.now

    def migrate(self, cpu, by, pid, comm, origin, to):
        self.seen_running(cpu, by)
        known = pid in self.lives
        task = self.life(pid, to)
        if not known:
            task.state, task.comm = "unseen", comm
        task.used.add(to)
        if task.state == "waiting":
            task.cpu = to
        self.migrations += self.works(task, comm)
        self.moved[self.levels.between(origin, to)] += self.works(task, comm)
        if self.levels.largest:
            rise = self.levels.capacity.get(to, 0) - self.levels.capacity.get(origin, 0)
            self.moved["up" if rise > 0 else "down" if rise < 0 else "along"] += self.works(task, comm)

    def take(self, line):
        match = LINE.match(line)
        if not match:
            self.unread += 1
            return
        cpu, by = int(match["cpu"]), int(match["pid"])
        now = int(match["s"]) * 10**9 + int(match["frac"].ljust(9, "0"))
        if self.first is None:
            self.first = self.now = now
        self.advance(now)
        event, rest = match["event"], match["rest"]
        self.kinds.add(event)
        if event == "sched_switch":
            fields = SWITCH.match(rest)
            self.switch(cpu, int(fields[2]), fields[1], fields[4], int(fields[6]), fields[5])
        elif event in ("sched_wakeup", "sched_wakeup_new"):
            fields = WAKEUP.match(rest)
            self.wakeup(cpu, by, int(fields[2]), fields[1], int(fields[4]), event == "sched_wakeup_new")
        elif event == "sched_migrate_task":
            fields = MIGRATE.match(rest)
            self.migrate(cpu, by, int(fields[2]), fields[1], int(fields[4]), int(fields[5]))

    def finish(self):
        """Who still runs did so up to the last event."""
        for cpu, at in self.on.items():
            if self.works(at.current) and self.counts(cpu):
                self.workload_is_seen()
                self.runs_on(at.current, cpu)
        for comm in {task.comm for task in self.all_tasks if self.works(task)} - set(self.fairness):
            self.fairness[comm] = self.jain(comm)

    def figures(self):
        self.finish()
        if self.begin is None:
            return {"duration_ns": 0}
        if self.steady and not self.steady_over:
            self.end_steady()
        fair = [index for index in self.fairness.values() if index]
        begin = {"at": self.begin, "sums": self.at_begin}
        whole = self.part(begin, self.counted() | {"at": self.end, "sums": self.at_end},
                          share(sum(index * tasks for index, tasks in fair), sum(tasks for _, tasks in fair)))
        if self.steady and self.started <= self.tasks:
            whole["steady"] = self.steady
        return whole | {"pids": {task.pid for task in self.all_tasks if self.works(task)},
                        "inconsistent": self.inconsistent, "unread_lines": self.unread}

    def part(self, begin, end, fairness):
        """The figures of the run between two counts."""
        seconds = (end["at"] - begin["at"]) / 1e9
        span = collections.Counter({key: end["sums"][key] - begin["sums"][key] for key in self.sums})
        slices, wakeups, preempted = (getattr(self, key)[begin.get(key, 0):end[key]] for key in ("slices", "wakeups", "preempted"))
        out, involuntary, moves = (end[key] - begin.get(key, 0) for key in ("out", "involuntary", "moves"))

        def rate(count):
            return count / seconds if seconds else None

        def per_mille(values, rank):
            """The smallest value such that at least that share is not above it, in microseconds."""
            values = sorted(values)
            return values[max(0, -(-len(values) * rank // 1000) - 1)] / 1e3 if values else None

        # A value that was not recorded is not 0.
        has_moves = "sched_migrate_task" in self.kinds or not self.was_moved
        has_wakeups = bool(self.kinds & {"sched_wakeup", "sched_wakeup_new"})
        moved = end["moved"] - begin.get("moved", collections.Counter())

        def has_levels(*levels):
            """Of no use if CPUs are equally near."""
            return self.levels.are_known() and not self.levels.seen.isdisjoint(levels)

        largest = self.levels.largest
        capacity = largest and (end["at"] - begin["at"]) * sum(self.levels.capacity[cpu] for cpu in self.cpus)
        return {
            # Unknown if it is not seen for more than a twentieth of the CPUs and the time what runs there.
            "capacity used": share(span["capacity used"], span["capacity"], 100) if largest and span["capacity"] >= 0.95 * capacity else None,
            "moved up": rate(moved["up"]) if has_moves and largest else None,
            "moved down": rate(moved["down"]) if has_moves and largest else None,
            "misfit": share(span["misfit"], end["at"] - begin["at"], 1e3) if has_wakeups and largest else None,
            "on largest": share(*(end[key] - begin.get(key, 0) for key in ("ran_on_largest", "ran")), 100) if largest else None,
            "moved cache": rate(moved["node"]) if has_moves and has_levels("node") else None,
            "moved node": rate(moved["remote"]) if has_moves and has_levels("remote") else None,
            "idle waiting cache": share(span["idle waiting cache"], end["at"] - begin["at"], 1e3)
            if has_wakeups and has_levels("smt", "llc") else None,
            "duration_ns": end["at"] - begin["at"],
            "switches": rate(span["switches"]),
            "involuntary_share": share(involuntary, out, 100),
            "slices": len(slices),
            "slice_mean": share(sum(slices), len(slices), 1e-3),
            "slice_p50": per_mille(slices, 500),
            "slice_p90": per_mille(slices, 900),
            "slice_p99": per_mille(slices, 990),
            "wakeups": len(wakeups),
            "wakeup_p50": per_mille(wakeups, 500),
            "wakeup_p90": per_mille(wakeups, 900),
            "wakeup_p99": per_mille(wakeups, 990),
            "wakeup_max": max(wakeups) / 1e3 if wakeups else None,
            "preempted_p50": per_mille(preempted, 500),
            "preempted_p99": per_mille(preempted, 990),
            "migrations": rate(moves) if has_moves else None,
            "fork_share": share(end["forks"] - begin.get("forks", 0), end["new"] - begin.get("new", 0), 100),
            "fairness": fairness,
            "run_queue": share(span["queued"], span["cpu"]) if has_wakeups else None,
            "idle_waiting": share(span["idle waiting"], end["at"] - begin["at"], 1e3) if has_wakeups else None,
            "idle_share": share(span["idle"], span["cpu"], 100),
        }


def read(lines, names, cpus=None, strangers=(), roots=(), tasks=0, topology=None):
    """names None: the tasks of these PIDs and all that they make; without roots all but those of the strangers' names.
    tasks: how many have these names; then "steady" has the figures of the steady part, if there is one."""
    run = Run(names, cpus, strangers, roots, tasks, topology)
    for line in lines:
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            run.take(line)
    return run.figures()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="latin-1", newline="\n") as text:
        chosen = [int(cpu) for cpu in sys.argv[3].split(",")] if len(sys.argv) > 3 else None
        json.dump(read(text, sys.argv[2].split(","), chosen), sys.stdout, indent=2, default=sorted)
        print()
