# SPDX-License-Identifier: MIT
"""Every command that reads traces, as a multiple of decoding them (decode.c), which all of them do first.

Commands take turns: each round runs decoding, cat and every command once, and a ratio is that of one round. So load and
the speed of the machine cancel out; the figure is the median of the rounds."""
import os
import shutil
import statistics
import subprocess
from dataclasses import dataclass

import recordings
from bench_support import NotHere, PICKNEXT, TOOLS, TOP, Measured, measure, need_program

# As multiples of decoding.
GOALS = {
    "check": 1.5, "affinity": 1.5, "stat": 2, "latency": 2, "migrations": 2, "idle-waiting": 2, "inversions": 2.5,
    "stat --waits": 2.5,
}
# What writes about as much as it reads: goals are bytes a second, or a multiple of copying the output.
WRITERS = {
    "timeline": ["timeline"],
    "timeline --csv": ["timeline", "--csv"],
    "timeline --map": ["timeline", "--map"],
    "export text": ["export", "-q", "--format", "text"],
    "export csv": ["export", "-q", "--format", "csv"],
    "export perfetto": ["export", "-q", "--format", "perfetto"],
}
LARGE_EVENTS = 20_000_000
BYTES_A_SECOND = 400e6
COPIES = 1.5
PERFETTO_TEXTS = 2
COMPARE = 3
REPORT_COMPARES = 1.2
STATISTICS_S = 0.2


@dataclass
class Job:
    name: str
    command: list
    output: str = None  # removed before each run


def take_turns(jobs, rounds):
    """Runs the jobs in turns; what each took, by name."""
    measured = {job.name: Measured() for job in jobs}
    for _ in range(rounds):
        for job in jobs:
            if job.output and os.path.exists(job.output):
                os.unlink(job.output)
            once = measure(job.command, 1)
            measured[job.name].add(once)
    return measured


def multiple(measured, of):
    """The median of the rounds' ratios, and all of them."""
    ratios = [one / other for one, other in zip(measured.cpu_s, of.cpu_s) if other]
    return statistics.median(ratios), ratios


def add_multiple(bench, what, measured, base, base_name, events, goal):
    ratio, ratios = multiple(measured, base)
    row = bench.add(what, f"{measured.cpu() / events * 1e9:.1f} ns an event, {measured.most_kb / 1024:.1f} MB",
                    f"{base_name}: {base.cpu() / events * 1e9:.1f} ns", None, None, ratios, cpu_s=measured.cpu_s,
                    base_cpu_s=base.cpu_s, multiple=ratio, most_kb=measured.most_kb)
    row.ratio_text = f"takes {ratio:.2f} times"
    if goal:
        bench.goal(row, f"≤ {goal:g} times", ratio <= goal)


def of_set(bench, name, traces, events, rounds):
    """Commands that print a table."""
    size = f"{events / 1e6:.1f} M events in {len(traces)} traces"
    jobs = [Job("decoding", [TOOLS / "decode"] + traces), Job("cat", ["cat"] + traces)]
    jobs += [Job(command, [PICKNEXT] + command.split() + traces) for command in GOALS]
    measured = take_turns(jobs, rounds)
    decoding = measured["decoding"]
    row = bench.add(f"decoding, {size}", f"{decoding.cpu() / events * 1e9:.1f} ns an event",
                    f"cat to /dev/null: {measured['cat'].cpu() / events * 1e9:.1f} ns", samples=decoding.cpu_s,
                    cpu_s=decoding.cpu_s, cat_cpu_s=measured["cat"].cpu_s)
    bench.goal(row, "≤ 25 ns", decoding.cpu() / events <= 25e-9)
    for command, goal in GOALS.items():
        add_multiple(bench, f"{command}, {name}", measured[command], decoding, "decoding", events, goal)


def writers(bench, trace, rounds):
    """Commands that write as much as they read, one trace each"""
    counted = measure([TOOLS / "decode", trace], 1, keep_output=True)
    events = int(counted.output)
    jobs = [Job("decoding", [TOOLS / "decode", trace])]
    for name, command in WRITERS.items():
        out = str(bench.scratch / f"{name.replace(' ', '-')}.out")
        jobs += [Job(name, [PICKNEXT] + command + ["-o", out, trace], out),
                 Job(f"cp of {name}", ["cp", out, out + ".copy"], out + ".copy")]
    measured = take_turns(jobs, rounds)
    for name in WRITERS:
        ours, copied = measured[name], measured[f"cp of {name}"]
        path = bench.scratch / f"{name.replace(' ', '-')}.out"
        size = path.stat().st_size
        ratio, ratios = multiple(ours, copied)
        rate = size / ours.cpu()
        row = bench.add(f"{name}, {size / 1e6:.0f} MB from {events / 1e6:.1f} M events",
                        f"{rate / 1e6:.0f} MB/s, {ours.cpu() / events * 1e9:.0f} ns an event, {ours.most_kb / 1024:.1f} MB",
                        f"cp: {size / max(copied.cpu(), 1e-9) / 1e6:.0f} MB/s; decoding: "
                        f"{measured['decoding'].cpu() / events * 1e9:.0f} ns an event", None, None, ours.cpu_s,
                        cpu_s=ours.cpu_s, cp_cpu_s=copied.cpu_s, bytes=size, copies=ratio, most_kb=ours.most_kb)
        row.ratio_text = f"takes {ratio:.1f} times"
        if name == "export perfetto":
            texts, _ = multiple(ours, measured["export text"])
            row.theirs = f"export text: {measured['export text'].cpu() / events * 1e9:.0f} ns an event"
            row.ratio_text = f"takes {texts:.1f} times"
            bench.goal(row, f"≤ {PERFETTO_TEXTS} times", texts <= PERFETTO_TEXTS)
        else:
            bench.goal(row, f"≥ {BYTES_A_SECOND / 1e6:.0f} MB/s or ≤ {COPIES} cp",
                       rate >= BYTES_A_SECOND or ratio <= COPIES)
        for left in path, path.with_name(path.name + ".copy"):
            left.unlink()


def split_sets(bench, directory):
    """The runs of a directory as two sets of half of them."""
    sets = []
    names = sorted(path.stem for path in (directory / "raw").glob("*.dat"))
    for letter, chosen in ("a", names[0::2]), ("b", names[1::2]):
        made = bench.scratch / f"compare-{letter}" / "raw"
        made.mkdir(parents=True)
        for name in chosen:
            for kind in ".dat", ".json":
                os.link(directory / "raw" / (name + kind), made / (name + kind))
        sets.append(made.parent)
    return sets


def comparisons(bench, directory, traces, events, rounds):
    """compare and report of two sets"""
    sets = split_sets(bench, directory)
    page = str(bench.scratch / "page.html")
    measured = take_turns([Job("decoding", [TOOLS / "decode"] + traces), Job("compare", [PICKNEXT, "compare"] + sets),
                           Job("report", [PICKNEXT, "report", "-q", "-o", page] + sets, page)], rounds)
    what = f"{len(traces)} traces, {events / 1e6:.1f} M events"
    add_multiple(bench, f"compare, all metrics, {what}", measured["compare"], measured["decoding"], "decoding", events,
                 COMPARE)
    add_multiple(bench, f"report, {what}", measured["report"], measured["compare"], "compare", events, REPORT_COMPARES)


def statistics_alone(bench, directory, rounds):
    """compare of 12 workloads, 10 runs, 2 sets of runs so short that their statistics are most of it"""
    traces = traces_of(directory)
    sets = []
    for letter, chosen in ("a", traces[0::2]), ("b", traces[1::2]):
        made = bench.scratch / f"statistics-{letter}" / "raw"
        made.mkdir(parents=True)
        for workload in range(12):
            for run, trace in enumerate(chosen):
                shutil.copyfile(trace, made / f"workload{workload:02}_run{run}.dat")
        sets.append(made.parent)
    all_traces = [str(path) for made in sets for path in (made / "raw").iterdir()]
    measured = take_turns([Job("decoding", [TOOLS / "decode"] + all_traces), Job("all", [PICKNEXT, "compare"] + sets)], rounds)
    seconds = measured["all"].cpu()
    row = bench.add(f"compare, 12 workloads x {len(traces) // 2} runs x 2 sets of short runs: statistics, above all",
                    f"{seconds:.3f} s", f"decoding: {measured['decoding'].cpu():.3f} s", samples=measured["all"].cpu_s,
                    cpu_s=measured["all"].cpu_s)
    bench.goal(row, f"≤ {STATISTICS_S} s", seconds <= STATISTICS_S)


def peer_map(bench):
    """perf sched map against timeline --map"""
    need_program("perf", "linux-perf")
    if "perf" not in bench.traces:
        raise NotHere("the part analysis, which records a trace of perf sched, was not chosen")
    data, events = bench.traces["perf"]
    traces, our_events = bench.traces["large traces"], bench.traces["large events"]
    ours = measure([PICKNEXT, "timeline", "--map"] + traces, bench.runs(3))
    theirs = measure(["perf", "sched", "map", "-i", data], bench.runs(3))
    bench.add("timeline --map against perf sched map", f"{ours.cpu() / our_events * 1e9:.0f} ns an event",
              f"{theirs.cpu() / events * 1e9:.0f} ns", (theirs.cpu() / events) / (ours.cpu() / our_events), None, ours.cpu_s)


def add_peer(bench, what, ours, theirs, events):
    bench.add(what, f"{ours.cpu() / events * 1e9:.0f} ns an event", f"{theirs.cpu() / events * 1e9:.0f} ns",
              theirs.cpu() / ours.cpu(), None, ours.cpu_s, theirs_cpu_s=theirs.cpu_s)


def peer_trace_cmd(bench):
    """trace-cmd report against export text"""
    need_program("trace-cmd", "trace-cmd")
    trace = bench.traces["many traces"][0]
    events = int(measure([TOOLS / "decode", trace], 1, keep_output=True).output)
    measured = take_turns([Job("ours", [PICKNEXT, "export", "-q", "--format", "text", "-o", "-", trace]),
                           Job("theirs", ["trace-cmd", "report", trace])], bench.runs(5))
    add_peer(bench, "export text against trace-cmd report, the same trace", measured["ours"], measured["theirs"], events)


def peer_pandas(bench):
    """stat of a trace against pandas, which reads its rows as CSV"""
    if subprocess.run(["/usr/bin/python3", "-c", "import pandas"], capture_output=True, check=False).returncode:
        raise NotHere("no pandas (apt-get install python3-pandas)")
    trace = bench.traces["large traces"][0]
    rows = bench.scratch / "rows.csv"
    subprocess.run([PICKNEXT, "export", "-q", "--format", "csv", "-o", rows, trace], check=True)
    measured = take_turns([Job("ours", [PICKNEXT, "stat", trace]),
                           Job("theirs", ["/usr/bin/python3", TOP / "tests/bench/pandas_stat.py", rows])], bench.runs(5))
    rows.unlink()
    events = int(measure([TOOLS / "decode", trace], 1, keep_output=True).output)
    add_peer(bench, "stat against pandas, which reads its rows as CSV", measured["ours"], measured["theirs"], events)


def traces_of(directory):
    return sorted(map(str, (directory / "raw").glob("*.dat")))


def peer_trace_processor(bench):
    """trace_processor"""
    if not shutil.which("trace_processor"):
        raise NotHere("no trace_processor, which Debian does not package")


def run(bench):
    many, many_events = recordings.many(bench)
    many_traces = traces_of(many)
    large_traces, large_events = recordings.repeated(bench, LARGE_EVENTS)
    tiny = recordings.tiny(bench)
    bench.traces.update({"many traces": many_traces, "large traces": large_traces, "large events": large_events})
    bench.attempt(lambda b: of_set(b, "many", many_traces, many_events, b.runs(7)))
    bench.attempt(lambda b: of_set(b, "large", large_traces, large_events, b.runs(3)))
    bench.attempt(lambda b: writers(b, large_traces[0], b.runs(5)))
    bench.attempt(lambda b: comparisons(b, many, many_traces, many_events, b.runs(5)))
    bench.attempt(lambda b: statistics_alone(b, tiny, b.runs(5)))
    bench.attempt(peer_map)
    bench.attempt(peer_trace_cmd)
    bench.attempt(peer_pandas)
    bench.attempt(peer_trace_processor)
    for letter in "ab":
        for left in "compare", "statistics":
            shutil.rmtree(bench.scratch / f"{left}-{letter}", ignore_errors=True)
