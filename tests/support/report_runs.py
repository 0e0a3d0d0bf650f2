#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_runs.py DIRECTORY [SEED [SLOWER [hostile]]]: a set of runs for picknext report and compare, always the same for
the same arguments: six runs of two workloads on two CPUs, as text traces with the JSON that picknext collect writes.
SLOWER: how many times longer wakeups wait. hostile: names, paths and metadata are markup."""
import json
import os
import random
import sys

HOSTILE = ["<script>", "<svg onload=a()", '"><b onclick=x', "'\"&amp;", "\udcff\udcfe\x1b[2J", "a b"]
PLAIN = ["burner", "writer", "reader", "logger", "helper", "idler"]


def trace(draw, names, slower, millis):
    """Two CPUs: each runs a task until it sleeps or another is due; sleepers are woken by the other CPU."""
    lines = []
    tasks = [(name, 300 + number) for number, name in enumerate(names)]
    idle = {cpu: (f"swapper/{cpu}", 0) for cpu in range(2)}
    current = dict(idle)
    ready = {0: tasks[::2], 1: tasks[1::2]}
    asleep = []
    now = 0

    def line(cpu, text):
        lines.append(f"     any-{current[cpu][1]}    [00{cpu}] d..2. {100 + now // 1000000}.{now % 1000000:06d}: {text}")

    while now < millis * 1000:
        now += draw.randrange(20, 400)
        cpu = draw.randrange(2)
        if asleep and draw.random() < 0.6:
            task, home = asleep.pop(draw.randrange(len(asleep)))
            target = home if draw.random() < 0.8 else 1 - home
            if target != home:
                line(cpu, f"sched_migrate_task: comm={task[0]} pid={task[1]} prio=120 orig_cpu={home} dest_cpu={target}")
            line(cpu, f"sched_wakeup: comm={task[0]} pid={task[1]} prio=120 target_cpu=00{target}")
            ready[target].append(task)
            now += 1 + int(draw.randrange(4, 30) * slower)
            cpu = target
        was = current[cpu]
        state = "R" if was[1] == 0 or draw.random() < 0.5 else "S"
        following = ready[cpu].pop(0) if ready[cpu] else idle[cpu]
        if following == was or (following[1] == 0 and state == "R"):
            continue
        line(cpu, f"sched_switch: prev_comm={was[0]} prev_pid={was[1]} prev_prio=120 prev_state={state} ==> "
                  f"next_comm={following[0]} next_pid={following[1]} next_prio=120")
        if was[1]:
            (ready[cpu] if state == "R" else asleep).append(was if state == "R" else (was, cpu))
        current[cpu] = following
    return "# tracer: nop\n#\n" + "\n".join(lines) + "\n"


def main():
    directory, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    slower = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    hostile = "hostile" in sys.argv[4:]
    workloads = ["<script>alert(1)<script>", "a\"b'c&d_2"] if hostile else ["alpha_2t", "beta_4t"]
    os.makedirs(directory + "/raw", exist_ok=True)
    for number, workload in enumerate(workloads):
        for run in range(6):
            path = f"{directory}/raw/{workload}_run{run}"
            draw = random.Random(f"{seed} {number} {run}")
            with open(path + ".txt", "wb") as file:
                file.write(trace(draw, HOSTILE if hostile else PLAIN, slower, 40).encode(errors="surrogateescape"))
            with open(path + ".json", "w", encoding="utf-8") as file:
                json.dump({"trace_id": f"{workload}_run{run}", "workload_name": workload, "category": "made",
                           "kernel": "</td><script>alert(2)</script>" if hostile else f"6.{seed}.0-made",
                           "hz": 250, "preemption": "none", "work_per_second": 1000 / slower + run,
                           "kernel_command_line": "quiet x=\"><img src=x onerror=alert(3)>" if hostile else "quiet",
                           "scheduler_tunables": {"base_slice_ns": "1400000"}}, file)


main()
