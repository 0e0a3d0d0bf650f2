#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The true cause of each migration of a trace with stacks, and what picknext says: with the stacks, and without.

Usage: migration_truth.py PICKNEXT TRACE.dat [REQUIRED...]

The truth comes from trace-cmd's text of the trace: from the system call or interrupt that the stack ends in, and from
the functions of the scheduler's classes. "Without" is picknext on the kernel's own text of the same trace, from which
the stacks and every sched_waking are left out. It prints a table, a row for each true cause, and fails if picknext says
anything that is neither true nor unknown, or if a cause of REQUIRED did not occur, or was never told with stacks."""
import collections
import csv
import re
import subprocess
import sys

EVENT = re.compile(r"^ *(?P<comm>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?:\S+ +)?(?P<s>\d+)\.(?P<ns>\d+): +(?P<event>\w+): +(?P<rest>.*)$")
MOVE = re.compile(r"pid=(\d+) prio=(-?\d+) orig_cpu=(\d+) dest_cpu=(\d+)")
FUNCTION = re.compile(r"^ *=> ([\w.]+)")
# Causes that are also true in a trace without stacks, but say less.
COARSER = {"exec": {"self"}}
CLASSES = (
    ("wakeup", r"try_to_wake_up"),
    ("hotplug", r"__balance_push_cpu_stop|migrate_tasks|sched_cpu_dying|cpuset_hotplug\w*|cpuset_handle_hotplug"),
    ("numa", r"migrate_swap\w*"),
    ("active-balance", r"active_load_balance_cpu_stop"),
    ("rt-push", r"push_(rt|dl)_tasks?|rto_push_irq_work_func|push_cpu_stop"),
    ("rt-pull", r"pull_(rt|dl)_task"),
    ("pull", r"(sched_)?(balance_rq|load_balance|balance_newidle|newidle_balance|balance_domains)|rebalance_domains"),
)


def class_of(stack):
    """Of the innermost known function: an interrupt stands before what it interrupted."""
    for function in stack:
        if function.startswith("migration_cpu_stop"):
            return "stopper"
        for cause, pattern in CLASSES:
            if re.fullmatch(pattern, function.split(".")[0]):
                return cause
    return None


def asked(stack, is_own):
    """Why this task asks for a move."""
    names = " ".join(stack)
    if "sched_exec" in names and "execve" in names:
        return "exec"
    if re.search(r"sys_sched_setaffinity|cpuset_|cgroup_", names):
        return "self" if is_own else "affinity"
    return None


def truth(picknext, trace):
    """(time, pid): cause or None; and the rows of picknext's text without stacks."""
    text = subprocess.run(["trace-cmd", "report", "-t", trace], capture_output=True, encoding="latin-1", check=True).stdout
    causes, asker = {}, {}
    last = {}  # cpu: what the stack that follows there belongs to
    stack, owner = None, None

    def finish():
        if owner and owner[0] == "waking":
            asker[owner[1]] = (owner[2], stack)
        elif owner:
            _, key, by, cpu = owner
            causes[key] = class_of(stack)
            if causes[key] == "stopper":
                pid, functions = asker.get(cpu, (None, []))
                causes[key] = asked(functions, pid == key[1])
            elif causes[key] is None:
                causes[key] = asked(stack, by == key[1])

    for line in text.splitlines():
        function = FUNCTION.match(line)
        if function:
            stack.append(function[1])
            continue
        finish()
        stack, owner = [], None
        match = EVENT.match(line)
        if not match:
            continue
        cpu, by = int(match["cpu"]), int(match["pid"])
        now = int(match["s"]) * 10**9 + int(match["ns"])
        if match["event"] == "kernel_stack":
            owner = last.pop(cpu, None)
            continue
        last.pop(cpu, None)
        if match["event"] == "sched_migrate_task":
            key = now, int(MOVE.search(match["rest"])[1])
            causes.setdefault(key, None)
            last[cpu] = "move", key, by, cpu
        elif match["event"] == "sched_waking":
            to = re.search(r"migration/(\d+)\D", match["rest"])
            if to:
                last[cpu] = "waking", int(to[1]), by
        elif match["event"] == "sched_wakeup_new":
            target = int(re.search(r"(?:target_cpu=|CPU:)(\d+)", match["rest"])[1])
            if target != cpu:
                causes[now, int(re.search(r"(?:pid=|:)(\d+)[ \[]", match["rest"])[1])] = "fork"
    finish()
    return causes


def said(picknext, trace):
    run = subprocess.run([picknext, "migrations", "--list", "--csv", "-q", trace], capture_output=True, encoding="latin-1")
    assert run.returncode == 0, run.stderr
    return {(int(row["ts_ns"]), int(row["pid"])): row for row in csv.DictReader(run.stdout.splitlines())}


def without_stacks(picknext, trace, path):
    text = subprocess.run([picknext, "export", "--format", "text", "--ns", trace], capture_output=True, check=True).stdout
    with open(path, "wb") as out:
        for line in text.splitlines(keepends=True):
            if b": kernel_stack: " not in line and b": sched_waking: " not in line:
                out.write(line)


def main():
    picknext, trace = sys.argv[1:3]
    causes = truth(picknext, trace)
    exact = said(picknext, trace)
    path = trace + ".without.txt"
    without_stacks(picknext, trace, path)
    plain = said(picknext, path)
    if set(exact) != set(plain) or set(exact) != set(causes):
        print("not the same migrations:", len(exact), len(plain), len(causes), list(set(exact) ^ set(plain))[:3], list(set(exact) ^ set(causes))[:3])
        return 1
    table = collections.defaultdict(lambda: collections.Counter())
    wrong = []
    for key, cause in sorted(causes.items()):
        answers = {"stacks": exact[key]["cause"], "waking": exact[key]["by_trace"], "plain": plain[key]["cause"]}
        for how, answer in answers.items():
            table[cause or "?"][how, answer] += 1
            allowed = {cause, "unknown"} | (COARSER.get(cause, set()) if how != "stacks" else set())
            if cause and answer not in allowed:
                wrong.append(f"{how}: {answer} is {cause}: " + ",".join(plain[key].values()))
    print(f"{'truth':15} {'with stacks':32} {'with sched_waking':36} without")
    for cause, answers in sorted(table.items()):
        cells = [" ".join(f"{answer}:{count}" for (how, answer), count in sorted(answers.items()) if how == column)
                 for column in ("stacks", "waking", "plain")]
        print(f"{cause:15} {cells[0]:32} {cells[1]:36} {cells[2]}")
    missing = [cause for cause in sys.argv[3:] if not table[cause]["stacks", cause]]
    for line in wrong[:20]:
        print("wrong", line)
    for cause in missing:
        print("never:", cause)
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
