#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""extended_reference.py TEXT CSV: checks every extended column of CSV (picknext build or export, --columns extended) against
an account of its own, made from TEXT: the kernel's text of the same trace, with nanoseconds or microseconds. For traces
that lost nothing. Prints how many rows there are, and in how many each column that can be unknown is known."""
import collections
import csv
import re
import sys

HEAD = re.compile(r".{16}-(\d+) +\[(\d+)\] \S{5} +(\d+)\.(\d+): (sched_\w+): (.*)", re.S)
SWITCH = re.compile(r"prev_comm=(.*?) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)", re.S)
TASK = re.compile(r"comm=(.*) pid=(\d+) prio=(-?\d+) (?:target_cpu=(\d+)|orig_cpu=(\d+) dest_cpu=(\d+))", re.S)


class Task:
    def __init__(self):
        self.state = None  # None: not known
        self.since = self.wake = self.cpu = self.last_cpu = None
        self.seen = self.moved = False


class Account:
    def __init__(self):
        self.tasks = collections.defaultdict(Task)
        self.current, self.since, self.queue = {}, {}, collections.defaultdict(set)
        self.names = {}

    def key(self, pid, cpu):
        return ("idle", cpu) if pid == 0 else pid

    def leave_queue(self, key):
        for queue in self.queue.values():
            queue.discard(key)

    def see_running(self, key, cpu):
        """What the event says runs there: where that is news, it is not known since when."""
        if self.current.get(cpu) == key:
            return
        old = self.current.get(cpu)
        if old is not None and self.tasks[old].state == "running" and self.tasks[old].cpu == cpu:
            self.tasks[old].state = None
        if old is not None:
            self.tasks[old].last_cpu = None  # the switch from it is missing: it may have run elsewhere since
        self.revive(key)
        if isinstance(key, tuple):
            self.names[key] = f"swapper/{cpu}"
        self.run(key, cpu, None)

    def revive(self, key):
        if self.tasks[key].state == "dead":
            self.tasks[key] = Task()

    def run(self, key, cpu, since):
        self.leave_queue(key)
        task = self.tasks[key]
        task.state, task.cpu, task.seen = "running", cpu, True
        self.current[cpu], self.since[cpu] = key, since

    def wait(self, key, cpu, since, wake):
        task = self.tasks[key]
        task.state, task.since, task.wake, task.cpu = "waiting", since, wake, cpu
        self.queue[cpu].add(key)

    def switch(self, ts, cpu, fields):
        prev_comm, prev_pid, prev_prio, state, next_comm, next_pid, next_prio = fields
        prev, following = self.key(int(prev_pid), cpu), self.key(int(next_pid), cpu)
        self.see_running(prev, cpu)
        self.names[prev], self.names[following] = prev_comm, next_comm
        task, since = self.tasks[prev], self.since[cpu]
        if task.state == "running" and task.cpu == cpu:
            if isinstance(prev, tuple):
                task.state = "sleeping"
            elif state[0] == "R":
                self.wait(prev, cpu, ts, None)
            else:
                task.state = "dead" if state[0] in "XZ" else "sleeping"
        self.revive(following)
        came = self.tasks[following]
        migrated = came.moved or came.last_cpu != cpu if came.last_cpu is not None else None
        if int(next_pid) == 0:
            migrated = False
        wake = came.wake if came.state == "waiting" else None
        waited = ts - came.since if wake else None
        task.last_cpu, task.moved = cpu, False
        self.run(following, cpu, ts)
        return {
            "next_prio": next_prio, "prev_pid": prev_pid, "prev_prio": prev_prio,
            "prev_runtime": None if since is None else ts - since, "wakeup_latency": waited,
            "waker_pid": wake[0] if wake else None, "waker_comm": self.names.get(wake[1]) if wake else None,
            "migrated": None if migrated is None else int(migrated), "runnable_tasks": len(self.queue[cpu]),
        }

    def wakeup(self, ts, cpu, pid, fields, is_new):
        self.see_running(self.key(pid, cpu), cpu)
        comm, woken, _, target, _, _ = fields
        key = int(woken)
        if key == 0:
            return
        if is_new and self.tasks[key].seen:
            self.leave_queue(key)
            self.tasks[key] = Task()
        self.revive(key)
        self.names[key] = comm
        task = self.tasks[key]
        task.seen = True
        if task.state not in ("running", "waiting"):
            self.wait(key, int(target), ts, (pid, self.key(pid, cpu)))

    def migrate(self, cpu, pid, fields):
        self.see_running(self.key(pid, cpu), cpu)
        comm, moved, _, _, _, target = fields
        key = int(moved)
        if key == 0:
            return
        self.names[key] = comm
        task = self.tasks[key]
        task.moved = True
        if task.state == "waiting":
            self.leave_queue(key)
            self.queue[int(target)].add(key)
        if task.state != "running":
            task.cpu = int(target)


def rows_of(path):
    account = Account()
    data = open(path, encoding="latin-1", newline="\n").read()
    starts = [m.start() for m in re.finditer(r"^.{16}-\d+ +\[\d+\] \S{5} +\d+\.\d+: sched_", data, re.M | re.S)]
    for start, end in zip(starts, starts[1:] + [len(data)]):
        pid, cpu, seconds, fraction, event, body = HEAD.match(data[start:end].rstrip("\n")).groups()
        ts, pid, cpu = int(seconds + fraction.ljust(9, "0")), int(pid), int(cpu)
        if event == "sched_switch":
            yield account.switch(ts, cpu, SWITCH.fullmatch(body).groups())
        elif event in ("sched_wakeup", "sched_wakeup_new"):
            account.wakeup(ts, cpu, pid, TASK.fullmatch(body).groups(), event.endswith("new"))
        elif event == "sched_migrate_task":
            account.migrate(cpu, pid, TASK.fullmatch(body).groups())


def shown(column, value):
    if value is None:
        return ""
    if column in ("prev_runtime", "wakeup_latency"):
        return f"{value // 10**9}.{value % 10**9:09}"
    return str(value)


def main():
    expected = rows_of(sys.argv[1])
    known = collections.Counter()
    rows = 0
    for rows, row in enumerate(csv.DictReader(open(sys.argv[2], encoding="latin-1", newline="")), 1):
        wanted = next(expected)
        for column, value in wanted.items():
            assert row[column] == shown(column, value), (rows, column, row, wanted)
            known[column] += value not in (None, 0)
    assert next(expected, None) is None, "rows are missing"
    print(f"{rows} rows;", ", ".join(f"{column} {count}" for column, count in known.items()))


main()
