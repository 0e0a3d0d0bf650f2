# SPDX-License-Identifier: MIT
"""Real traces of a wanted number of events, recorded on this machine."""
import json
import os
import subprocess
from pathlib import Path

from bench_support import NotHere, PICKNEXT, need_root

WORKLOAD = "sysbench_threads_16t"  # some 0.5 to 1 million events a second on two CPUs
SCALED_WORKLOAD = "hackbench_pipe_small"
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


def scaled(bench, name, runs, scale):
    """Runs of the workload that ends by itself."""
    directory = kept(name)
    if not directory:
        need_root()
        directory = bench.scratch / name
        collect_of(directory, SCALED_WORKLOAD, runs, "--scale", f"{scale:.4f}")
    return directory


def many(bench):
    """60 runs of about 50,000 events each, as compare and report read them."""
    if "many" not in bench.traces:
        runs, wanted, trial = (4, 2_000, 0.001) if bench.quick else (60, 50_000, 0.05)
        directory = kept("many")
        if not directory:
            made = count(scaled(bench, "many-trial", 2, trial), "events") / 2
            directory = scaled(bench, "many", runs, min(1.0, max(0.001, trial * wanted / made)))
        bench.traces["many"] = directory, count(directory, "events")
    return bench.traces["many"]


def tiny(bench):
    """20 runs of as few events as the workload has."""
    if "tiny" not in bench.traces:
        bench.traces["tiny"] = scaled(bench, "tiny", 4 if bench.quick else 20, 0.001)
    return bench.traces["tiny"]


def short(bench):
    """60 short runs: five of every workload."""
    directory = kept("short")
    if not directory:
        need_root()
        directory = bench.scratch / "short"
        runs, small = ("2", "0.1") if bench.quick else ("5", "2")
        run_collect("-o", directory, "--runs", runs, "--small", small)
    return directory


def repeated(bench, wanted):
    """The traces of large(), each named as often as it takes to have so many events; how many they are."""
    directory, _, events = large(bench)
    times = 1 if bench.quick else -(-wanted // events)
    return sorted(map(str, (directory / "raw").glob("*.dat"))) * times, events * times
