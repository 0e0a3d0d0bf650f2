#!/usr/bin/env python3
"""make_runs.py DIR WORKLOAD RUNS SEED FACTOR [KEY=JSON...]: runs of a made-up workload on two CPUs as text traces in
DIR/raw, always the same for a seed. The tasks' slices are FACTOR times as long; JSON beside each trace has the keys."""
import json
import os
import random
import sys

directory, workload, runs, seed, factor, *keys = sys.argv[1:]
raw = os.path.join(directory, "raw")
os.makedirs(raw, exist_ok=True)
name = "".join(c if c.isalnum() else "_" for c in workload)


def line(comm, pid, cpu, us, text):
    return f"{comm:>16}-{pid:<7} [{cpu:03}] d..2. {us // 1000000:5}.{us % 1000000:06}: {text}\n"


def switch(cpu, us, before, state, after):
    return line(
        before[0], before[1], cpu, us,
        f"sched_switch: prev_comm={before[0]} prev_pid={before[1]} prev_prio=120 prev_state={state} ==> "
        f"next_comm={after[0]} next_pid={after[1]} next_prio=120",
    )


def trace(draw):
    """Each CPU has two tasks, which take turns: one sleeps, is woken and waits a little."""
    lines = []
    for cpu in range(2):
        tasks = [("worker", 100 + cpu), ("worker", 200 + cpu)]
        us = 100000000 + cpu
        for turn in range(60):
            before, after = tasks[turn % 2], tasks[1 - turn % 2]
            us += int(draw.lognormvariate(0, 0.4) * 200 * float(factor)) + 20
            lines.append((us - int(draw.uniform(2, 18)), line(*before, cpu, 0, ""), cpu, before, after))
            lines.append((us, None, cpu, before, after))
    lines.sort(key=lambda item: item[0])
    for us, wakes, cpu, before, after in lines:
        if wakes:
            yield line(*before, cpu, us, f"sched_wakeup: comm={after[0]} pid={after[1]} prio=120 target_cpu={cpu:03}")
        else:
            yield switch(cpu, us, before, "S" if draw.random() < 0.7 else "R+", after)


for run in range(int(runs)):
    draw = random.Random(f"{seed} {run}")
    with open(f"{raw}/{name}_run{run}.txt", "w") as file:
        file.write("# tracer: nop\n#\n# entries-in-buffer/entries-written: 240/240   #P:2\n#\n")
        file.writelines(trace(draw))
    metadata = {"workload_name": workload, "category": "test", "lost_events": 0,
                "work_per_second": 1000 * float(factor) * draw.uniform(0.97, 1.03)}
    for key in keys:
        key, _, value = key.partition("=")
        metadata[key] = json.loads(value)
    with open(f"{raw}/{name}_run{run}.json", "w") as file:
        json.dump(metadata, file)
