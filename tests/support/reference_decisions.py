#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of picknext build --task TASK (pick, placement, balance), said once more in slow Python from the kernel's text of
a trace.

reference_decisions.py compare TASK CSV TRACE-ID TEXT [TRACER-CPU]
        the rows of this trace in CSV must be those of TEXT; with TRACER-CPU without those of the tracer, -1: without
        those of its tasks
reference_decisions.py make RAW SEED [STEPS]       three text traces of a random scheduler

A pick is a switch to a task that was woken, forked or preempted before and has waited for this CPU since; a placement,
a wakeup of a task that was not awake, if the task is new or has run in the trace before; a balance, a migration of a task
that waits."""
import csv
import json
import random
import re
import sys
from pathlib import Path

LINE = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] (?:\S+ +)?(?P<s>\d+)\.(?P<frac>\d+): (?P<event>\w+): (?P<rest>.*)$")
SWITCH = re.compile(r"^prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)$")
WAKEUP = re.compile(r"^comm=(.*) pid=(\d+) prio=(-?\d+) (?:success=1 )?target_cpu=(\d+)$")
MIGRATE = re.compile(r"^comm=(.*) pid=(\d+) prio=(-?\d+) orig_cpu=(\d+) dest_cpu=(\d+)$")
KERNEL = re.compile(r"kworker/|ksoftirqd/|migration/|cpuhp/|idle_inject/|irq/|rcu_|rcuc/|rcuo|rcub/|ktimers/|napi/|jbd2/|scsi_|kswapd|"
                    r"kcompactd|khuge|kthreadd|kauditd|kdevtmpfs|khungtaskd|ksmd|oom_reaper|pool_workqueue_|psimon|watchdogd|vhost-")
LISTED = 64


class Task:
    def __init__(self, pid):
        self.pid = pid
        self.comm = ""
        self.prio = 0
        self.state = "unknown"
        self.cpu = None
        self.since = 0
        self.cause = None
        self.seen = False
        self.born = 0
        self.kernel = False
        self.runtime = 0
        self.slice = None  # CPU time since the latest wakeup
        self.last_cpu = None
        self.left = None


class Machine:
    def __init__(self, capacities):
        self.all = []
        self.capacities = capacities  # by CPU
        self.by_pid = {}
        self.running = {}  # cpu: (task, since, whether the start was seen)
        self.first = None
        self.rows = {"pick": [], "placement": [], "balance": []}

    def task(self, pid, cpu, comm=None, prio=None):
        key = ("idle", cpu) if pid == 0 else pid
        task = self.by_pid.get(key)
        if task is None:
            task = self.by_pid[key] = Task(pid)
            self.all.append(task)
        if comm is not None:
            task.comm, task.prio = comm, prio
        return task

    def born_again(self, pid):
        self.by_pid.pop(pid, None)

    def line(self, text):
        found = LINE.match(text)
        if not found:
            return
        now = int(found["s"]) * 10**9 + int(found["frac"].ljust(9, "0"))
        cpu = int(found["cpu"])
        if self.first is None:
            self.first = now
        if cpu not in self.running:
            current = self.task(int(found["pid"]), cpu)
            self.running[cpu] = (current, now if current.seen and current.pid else self.first, False)
            current.state, current.cpu, current.seen = "running", cpu, True
        kind = found["event"]
        if kind == "sched_switch":
            self.switch(now, cpu, SWITCH.match(found["rest"]))
        elif kind in ("sched_wakeup", "sched_wakeup_new"):
            self.wake(now, cpu, kind == "sched_wakeup_new", WAKEUP.match(found["rest"]))
        elif kind == "sched_migrate_task":
            fields = MIGRATE.match(found["rest"])
            task = self.task(int(fields[2]), int(fields[5]), fields[1], int(fields[3]))
            if task.state == "runnable":
                self.balance(now, cpu, task, int(fields[4]), int(fields[5]))
            if task.state != "running":
                task.cpu = int(fields[5])

    def wake(self, now, recorded, is_new, fields):
        pid, cpu = int(fields[2]), int(fields[4])
        known = self.by_pid.get(pid)
        if known and (known.state == "dead" or (is_new and known.seen)):
            self.born_again(pid)
        task = self.task(pid, cpu, fields[1], int(fields[3]))
        if is_new:
            task.born = now
        task.seen = True
        if task.state not in ("running", "runnable"):
            task.state, task.cpu, task.since, task.slice = "runnable", cpu, now, 0
            task.cause = "new" if is_new else "wakeup"
            if is_new or task.last_cpu is not None:
                self.place(now, recorded, task, cpu, is_new)

    def switch(self, now, cpu, fields):
        prev = self.task(int(fields[2]), cpu, fields[1], int(fields[3]))
        state = fields[4]
        current, since, started = self.running[cpu]
        assert current is prev, (now, cpu)
        ran = now - since
        prev.runtime += ran
        if prev.slice is not None:
            prev.slice += ran
        prev.last_cpu, prev.left = cpu, now
        if prev.pid:
            prev.state = "dead" if state[0] in "XZ" else "sleeping"
            prev.kernel = prev.kernel or state[0] == "I"
            if state.startswith("R"):
                prev.state, prev.since = "runnable", now
                prev.cause = "preempted" if "+" in state else "runnable"
        following = self.task(int(fields[6]), cpu, fields[5], int(fields[7]))
        if following.pid and following.state == "runnable":
            self.decide(now, cpu, prev, state, ran if started else None, following)
        following.state, following.cpu, following.seen = "running", cpu, True
        self.running[cpu] = (following, now, True)

    def waiting(self, cpu, without):
        return sum(task.state == "runnable" and task.cpu == cpu and task is not without for task in self.all)

    def place(self, now, recorded, task, cpu, is_new):
        cpus = sorted(self.running)[:LISTED]
        running = [self.running[number] for number in cpus]
        self.rows["placement"].append({
            "time_ns": now - self.first,
            "cpu": recorded,
            "waker_role": self.running[recorded][0],
            "task_name": task.comm,
            "task_role": task,
            "task_prio": task.prio,
            "is_new": int(is_new),
            "previous_cpu": "" if is_new else task.last_cpu,
            "slept_ns": "" if is_new else now - task.left,
            "cpus": cpus,
            "cpu_capacities": [self.capacities.get(number, "-") for number in cpus],
            "cpu_running_roles": [current for current, _, _ in running],
            "cpu_running_prios": [current.prio if current.pid else "-" for current, _, _ in running],
            "cpu_since_ns": [now - since if whole else "-" for _, since, whole in running],
            "cpu_waiting": [self.waiting(number, task) for number in cpus],
            "chosen": cpus.index(cpu) if cpu in cpus else "",
            "chosen_cpu": cpu,
        })

    def balance(self, now, mover, moved, source, target):
        def runs(cpu):
            return self.running[cpu][0] if cpu in self.running else ""

        self.rows["balance"].append({
            "time_ns": now - self.first,
            "from_cpu": source,
            "to_cpu": target,
            "mover_cpu": mover,
            "mover_role": runs(mover),
            "from_running": runs(source),
            "to_running": runs(target),
            "to_waiting": self.waiting(target, moved),
            **self.candidates(now, [task for task in self.all if task.state == "runnable" and task.cpu == source], moved),
            "task_name": moved.comm,
            "task_role": moved,
        })

    def candidates(self, now, tasks, chosen):
        tasks.sort(key=lambda task: (task.since, task.pid))
        listed = tasks[:LISTED]

        def values(value):
            return ["-" if value(task) is None else value(task) for task in listed]

        return {
            "candidates": len(tasks),
            "candidate_roles": list(listed),
            "candidate_causes": values(lambda task: task.cause),
            "candidate_waiting_ns": values(lambda task: now - task.since),
            "candidate_slice_ns": values(lambda task: task.slice),
            "candidate_runtime_ns": values(lambda task: task.runtime),
            "candidate_share_ppm": values(lambda task: int(task.runtime * 1e6 / (now - self.first))),
            "candidate_prios": values(lambda task: task.prio),
            "candidate_last_cpus": values(lambda task: task.last_cpu),
            "chosen": listed.index(chosen) if chosen in listed else "",
        }

    def decide(self, now, cpu, prev, state, ran, chosen):
        candidates = [task for task in self.all
                      if task.state == "runnable" and task is not prev and (task.cpu == cpu or task is chosen)]
        others = [task for number, (task, _, _) in self.running.items() if number != cpu]
        letter = "R+" if "+" in state else {"t": "T", "P": "T", "Z": "X"}.get(state[0], state[0])
        self.rows["pick"].append({
            "time_ns": now - self.first,
            "cpu": cpu,
            "others_running": sum(task.pid != 0 for task in others),
            "others_idle": sum(task.pid == 0 for task in others),
            "others_waiting": sum(task.state == "runnable" and task.cpu != cpu and task is not prev and task is not chosen
                                  for task in self.all),
            "prev_name": prev.comm,
            "prev_role": prev,
            "prev_prio": prev.prio,
            "prev_state": letter,
            "prev_ran_ns": "" if ran is None or not prev.pid else ran,
            **self.candidates(now, candidates, chosen),
            "next_name": chosen.comm,
            "next_role": chosen,
        })

    def roles(self):
        names, roles = {}, {}
        for task in self.all:
            clean = re.sub(r"[^A-Za-z0-9._:/+-]", "_", task.comm) or "_"
            if task.pid == 0:
                roles[task] = "idle"
            elif task.kernel or KERNEL.match(task.comm):
                roles[task] = re.sub(r"(?<=.)\d+$", "", re.split("[/:]", clean)[0])
            else:
                names.setdefault(clean, []).append(task)
        for name, tasks in names.items():
            for number, task in enumerate(sorted(tasks, key=lambda task: (task.born, task.pid)), 1):
                roles[task] = f"{name}#{number}"
        return roles


def capacities(metadata):
    """Those of "0,2-3=512 1=1024", by CPU."""
    topology = json.loads(metadata.read_text()).get("topology") if metadata.exists() else None
    found = {}
    for group in ((topology or {}).get("capacity") or "").split():
        cpus, capacity = group.split("=")
        for part in cpus.split(","):
            first, last = part.split("-") if "-" in part else (part, part)
            found.update({cpu: capacity for cpu in range(int(first), int(last) + 1)})
    return found


def expected(task, path):
    machine = Machine(capacities(path.with_suffix(".json")))
    for line in path.read_bytes().decode("latin-1").split("\n"):
        if line and not line.startswith("#"):
            machine.line(line)
    roles = machine.roles()

    def shown(value):
        if isinstance(value, list):
            return " ".join(shown(item) for item in value)
        return roles[value] if isinstance(value, Task) else str(value)

    return [{name: shown(value) for name, value in row.items()} for row in machine.rows[task]]


def is_own(row, tracer_cpu):
    """Of the tracer."""
    cpus = [str(row[name]) for name in ("from_cpu", "to_cpu", "chosen_cpu") if name in row] or [str(row["cpu"])]
    return row.get("next_name", row.get("task_name")) in ("picknext", "picknext-lead") or str(tracer_cpu) in cpus


def compare(task, table, trace_id, text, tracer_cpu=None):
    csv.field_size_limit(1 << 30)
    with open(table, encoding="latin-1", newline="") as file:
        actual = [row for row in csv.DictReader(file) if row["trace_id"].rsplit("-", 1)[0] == trace_id]
    wanted = expected(task, Path(text))
    if tracer_cpu is not None:
        wanted = [row for row in wanted if not is_own(row, tracer_cpu)]
    for number, (row, other) in enumerate(zip(wanted, actual)):
        for name, value in row.items():
            if other[name] != value:
                sys.exit(f"row {number} at {row['time_ns']}: {name} is {other[name]!r}, should be {value!r}")
    if len(wanted) != len(actual):
        sys.exit(f"{len(actual)} rows, should be {len(wanted)}")
    if not actual:
        sys.exit("no rows")
    print(f"{len(actual)} rows agree")


class RandomScheduler:
    """Tasks that sleep, wake each other, fork, end and are pulled; written as the kernel's text."""

    def __init__(self, seed, cpus, tasks):
        self.random = random.Random(seed)
        self.now = 5_000_000
        self.lines = ["# tracer: nop"]
        self.names = {1000 + i: self.random.choice(["sender", "a b", "x,y", "kworker/0:1", "io-2"]) for i in range(tasks)}
        self.prios = {pid: self.random.choice([120, 120, 120, 100, 139, 50]) for pid in self.names}
        self.current = {cpu: 0 for cpu in range(cpus)}
        self.queue = {cpu: [] for cpu in range(cpus)}
        self.sleeping = list(self.names)
        self.next_pid = 1000 + tasks

    def name(self, pid, cpu):
        return f"swapper/{cpu}" if pid == 0 else self.names[pid]

    def prio(self, pid):
        return 120 if pid == 0 else self.prios[pid]

    def add(self, cpu, event):
        self.now += self.random.randint(1, 50)
        pid = self.current[cpu]
        name = "<idle>" if pid == 0 else self.names[pid]
        self.lines.append(f"{name:>16}-{pid:<7} [{cpu:03}] d..2. {self.now // 10**6:5}.{self.now % 10**6:06}: {event}")

    def wake(self, cpu):
        is_new = self.random.random() < 0.05 and len(self.names) < 200
        target = self.random.choice(list(self.queue))
        if is_new:
            pid = self.next_pid
            self.next_pid += 1
            self.names[pid], self.prios[pid] = self.random.choice(["sender", "child"]), 120
        elif self.sleeping:
            pid = self.sleeping.pop(self.random.randrange(len(self.sleeping)))
        else:
            return
        self.queue[target].append(pid)
        self.add(cpu, f"sched_wakeup{'_new' if is_new else ''}: comm={self.names[pid]} pid={pid} prio={self.prios[pid]} target_cpu={target:03}")

    def pull(self, cpu):
        other = self.random.choice(list(self.queue))
        if other != cpu and self.queue[other]:
            pid = self.queue[other].pop()
            self.queue[cpu].append(pid)
            self.add(cpu, f"sched_migrate_task: comm={self.names[pid]} pid={pid} prio={self.prios[pid]} orig_cpu={other} dest_cpu={cpu}")

    def switch(self, cpu):
        prev, waiting = self.current[cpu], self.queue[cpu]
        state = "R" if prev == 0 else self.random.choice(["S", "S", "D", "R", "R+", "I" if "kworker" in self.names[prev] else "S",
                                                          "X" if self.random.random() < 0.1 else "S"])
        following = waiting.pop(self.random.randrange(len(waiting))) if waiting else 0
        if following == prev:
            return
        if following == 0 and state.startswith("R") and prev:
            state = "S"
        self.add(cpu, f"sched_switch: prev_comm={self.name(prev, cpu)} prev_pid={prev} prev_prio={self.prio(prev)} "
                      f"prev_state={state} ==> next_comm={self.name(following, cpu)} next_pid={following} next_prio={self.prio(following)}")
        if prev and state.startswith("R"):
            waiting.append(prev)
        elif prev and state != "X":
            self.sleeping.append(prev)
        self.current[cpu] = following

    def run(self, steps):
        for _ in range(steps):
            act = self.random.choices([self.wake, self.switch, self.pull], [5, 5, 1])[0]
            act(self.random.choice(list(self.queue)))
        return "\n".join(self.lines) + "\n"


def make(raw, seed, steps=3000):
    for number, (cpus, tasks) in enumerate([(1, 4), (2, 30), (4, 150)]):
        text = RandomScheduler(seed * 10 + number, cpus, tasks).run(steps)
        (raw / f"random{number}_run0.txt").write_text(text)
        if number == 2:
            labels = {"trace_id": "random2_run0", "workload_name": "random2", "topology": {"capacity": "0,2-3=512 1=1024"}}
            (raw / f"random{number}_run0.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), *map(int, sys.argv[3:]))
    else:
        compare(*sys.argv[2:7])
