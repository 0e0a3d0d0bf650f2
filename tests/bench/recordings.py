# SPDX-License-Identifier: MIT
"""Real traces of a wanted number of events, recorded on this machine."""
import json
import os
import subprocess
from pathlib import Path

from bench_support import NotHere, PICKNEXT, need_root

WORKLOAD = "sysbench_threads_16t"  # some 0.5 to 1 million events a second on two CPUs
RUNS = 5
TRIAL_S = 0.1
S_MIN = 0.01  # what collect --duration takes
S_MAX = 12     # a machine that is busy with other things gives fewer events, not a longer bench


def buffer_kb():
    """Of each CPU: so large that nothing is lost when other load keeps the tracer from its turn."""
    memory_kb = int(next(line for line in open("/proc/meminfo", encoding="utf-8")).split()[1])
    return min(262144, memory_kb // 16 // (os.cpu_count() or 1))


def run_collect(*options):
    done = subprocess.run([PICKNEXT, "collect", "-q", "--buffer-size", str(buffer_kb()), *options], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise NotHere(done.stderr.strip().splitlines()[-1])


def collect_of(directory, workload, runs, *options):
    run_collect("-o", directory, "-w", workload, "--runs", str(runs), *options)


def collect(directory, seconds, runs=RUNS):
    collect_of(directory, WORKLOAD, runs, "--duration", f"{seconds:.3f}")


def count(directory, key):
    return sum(json.loads(path.read_text())[key] for path in (directory / "raw").glob("*.json"))


def kept(name):
    """A directory with raw/ that an earlier bench left in PICKNEXT_RECORDINGS; None: record it."""
    kept_in = os.environ.get("PICKNEXT_RECORDINGS")
    directory = Path(kept_in) / name if kept_in else None
    return directory if directory and (directory / "raw").is_dir() else None


def record(bench, name, switches):
    """A directory with raw/ of about so many switches, or a few, recorded once for all parts; how many switches, and
    events."""
    if name not in bench.traces:
        directory = kept(name)
        if directory:
            bench.traces[name] = directory, count(directory, "sched_switch_events"), count(directory, "events")
            return bench.traces[name]
        need_root()
        directory = bench.scratch / name
        if bench.quick:
            collect(directory, S_MIN, 2)
        else:
            # First a little, to learn how many the machine makes in a second; again where other load misled that.
            seconds = TRIAL_S
            collect(directory, seconds)
            for _ in range(2):
                made = count(directory, "sched_switch_events")
                if made >= 0.8 * switches:
                    break
                seconds = min(S_MAX, max(S_MIN, seconds * switches / made))
                collect(directory, seconds)
        bench.traces[name] = directory, count(directory, "sched_switch_events"), count(directory, "events")
    return bench.traces[name]


def small(bench):
    return record(bench, "small", 400_000)


def large(bench):
    return record(bench, "large", 20_000_000)
