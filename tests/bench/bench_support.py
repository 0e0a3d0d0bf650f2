# SPDX-License-Identifier: MIT
"""Measuring commands, and the table that comes of it."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
PICKNEXT = str(BUILD / "picknext")
TOOLS = BUILD / "bench-tools"
BENCH_DIRECTORY = BUILD / "bench"


# Set by bench.py --earlier: another picknext that measure() runs in turns with this one.
EARLIER = {"binary": None, "pairs": []}


class NotHere(Exception):
    """This cannot be measured on this machine; the text says why."""


@dataclass
class Measured:
    """Of one command, run several times."""
    wall_s: list = field(default_factory=list)
    cpu_s: list = field(default_factory=list)
    most_kb: int = 0
    output: str = ""

    def cpu(self):
        return statistics.median(self.cpu_s)

    def wall(self):
        return statistics.median(self.wall_s)

    def add(self, other):
        self.wall_s += other.wall_s
        self.cpu_s += other.cpu_s
        self.most_kb = max(self.most_kb, other.most_kb)


def spread(values):
    """From the least to the most, as a share of the median."""
    middle = statistics.median(values)
    return (max(values) - min(values)) / middle if middle else 0.0


def measure(command, runs, keep_output=False, before=None, directory=None, warm_up=0):
    """Runs command; its output is thrown away, but the last run's is kept where keep_output says so. before is called
    ahead of each run. The first warm_up runs do not count. With --earlier, each run of picknext is followed by one of the
    earlier binary with the same arguments; a command that it does not know is not compared."""
    measured = Measured()
    earlier = Measured() if EARLIER["binary"] and command[0] == PICKNEXT else None
    for number in range(warm_up + runs):
        if before:
            before()
        run_once(measured, list(command), number >= warm_up, keep_output, directory)
        if not earlier:
            continue
        if before:
            before()
        try:
            run_once(earlier, [EARLIER["binary"]] + list(command)[1:], number >= warm_up, False, directory)
        except NotHere:
            earlier = None
    if earlier:
        keep_pair(" ".join(map(str, command[1:])), measured, earlier)
    return measured


def keep_pair(command, measured, earlier):
    """Adds the runs to those of the same command, if it was measured before."""
    for known, ours, theirs in EARLIER["pairs"]:
        if known == command:
            ours.add(measured)
            theirs.add(earlier)
            return
    copies = Measured(), Measured()
    copies[0].add(measured)
    copies[1].add(earlier)
    EARLIER["pairs"].append((command, *copies))


def run_once(measured, command, counts, keep_output, directory):
    """One run, added to measured if it counts."""
    report = BENCH_DIRECTORY / "measure.report"
    done = subprocess.run([TOOLS / "measure", report] + command, stdin=subprocess.DEVNULL, cwd=directory,
                          stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    wall, user, system, most_kb, status = map(int, report.read_text().split())
    if status != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise NotHere(f"{Path(command[0]).name} ended with {status}: {' '.join(last)}")
    if not counts:
        return
    measured.wall_s.append(wall / 1e9)
    measured.cpu_s.append((user + system) / 1e9)
    measured.most_kb = max(measured.most_kb, most_kb)
    if keep_output:
        measured.output = done.stdout.decode(errors="replace")


def need_root():
    if os.geteuid() != 0:
        raise NotHere("recording needs root")
    if not Path("/sys/kernel/tracing/events/sched").exists():
        raise NotHere("no tracefs at /sys/kernel/tracing (mount -t tracefs tracefs /sys/kernel/tracing)")


def need_program(name, package):
    if not shutil.which(name):
        raise NotHere(f"no {name} (apt-get install {package})")
    return shutil.which(name)


def kernel_image(line):
    kernels = Path(os.environ.get("PICKNEXT_KERNELS", BUILD / "kernels"))
    images = sorted(kernels.glob(f"{line}/boot/vmlinuz*")) + sorted(kernels.glob(f"{line}/usr/lib/modules/*/vmlinuz*"))
    if not images:
        raise NotHere(f"no kernel {line} in build/kernels (picknext fetch kernel {line} -o build/kernels)")
    need_program("qemu-system-x86_64", "qemu-system-x86")
    return images[0]


@dataclass
class Row:
    part: str
    what: str
    ours: str
    theirs: str
    ratio: float = None  # how many times better; None: no ratio
    ratio_text: str = ""
    goal: str = ""
    reached: bool = None
    runs: str = ""
    values: dict = field(default_factory=dict)  # the figures behind the texts, for the JSON


@dataclass
class Bench:
    scratch: Path
    quick: bool
    machine: str
    bugs: object = None  # the options of the part bugs
    part: str = ""
    rows: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    traces: dict = field(default_factory=dict)  # what one part recorded for the others

    def runs(self, count):
        return 1 if self.quick else count

    def attempt(self, function, *arguments):
        """Calls function; where it cannot measure, that is what the report says."""
        what = " ".join(" ".join([function.__doc__ or "all of it", *map(str, arguments)]).split())
        if function.__doc__:
            print(f"bench: {self.part}: {what} ...", file=sys.stderr, flush=True)
        try:
            return function(self, *arguments)
        except NotHere as reason:
            self.missing.append((self.part, what, str(reason)))
        except Exception as error:  # one part that fails is no reason to lose the others
            traceback.print_exc()
            self.missing.append((self.part, what, f"failed: {type(error).__name__}: {error}"))
        return None

    def add(self, what, ours, theirs, ratio=None, at_least=None, samples=(), **values):
        """at_least: the ratio that is the goal. samples: picknext's own runs, for their spread."""
        row = Row(self.part, what, ours, theirs, ratio, values=values)
        if ratio is not None:
            row.ratio_text = f"{ratio:.1f}" if ratio < 20 else f"{ratio:.0f}"
        if at_least is not None:
            row.goal = f"≥ {at_least:g}"
            row.reached = ratio is not None and ratio >= at_least
        if samples:
            row.runs = f"{len(samples)}, {100 * spread(samples):.0f} %" if len(samples) > 1 else "1"
        self.rows.append(row)
        return row

    def goal(self, row, text, reached):
        """A goal that is no ratio."""
        row.goal, row.reached = text, reached


def shorten(command, scratch):
    """Without directories, and of several traces only how many they are."""
    words = command.replace(f"{scratch}/", "").split()
    traces = [word for word in words if word.endswith(".dat")]
    if len(traces) < 2:
        return " ".join(Path(word).name if word in traces else word for word in words)
    return " ".join([word for word in words if word not in traces] + [f"({len(traces)} traces)"])


def write_report(bench, seconds):
    lines = [f"Measured on {bench.machine}, in {seconds / 60:.0f} minutes"
             + (", with --quick: too little to mean anything." if bench.quick else "."), "",
             "| part | what | picknext | compared with | times better | goal | reached | runs, spread |",
             "|---|---|---|---|---|---|---|---|"]
    for row in bench.rows:
        reached = "" if row.reached is None else "yes" if row.reached else "**no**"
        lines.append(f"| {row.part} | {row.what} | {row.ours} | {row.theirs} | {row.ratio_text} | {row.goal} | "
                     f"{reached} | {row.runs} |")
    lines += [f"| {part} | {what} | not measured: {reason} | | | | | |" for part, what, reason in bench.missing]
    if EARLIER["pairs"]:
        lines += ["", f"In turns with {EARLIER['binary']}: CPU seconds, median and fastest of the runs.", "",
                  "| command | this | earlier | median, earlier = 1 | fastest, earlier = 1 | runs |", "|---|---|---|---|---|---|"]
        for command, ours, earlier in EARLIER["pairs"]:
            text = shorten(command, bench.scratch)
            lines.append(f"| {text} | {ours.cpu():.3f} | {earlier.cpu():.3f} | {ours.cpu() / earlier.cpu():.2f} | "
                         f"{min(ours.cpu_s) / min(earlier.cpu_s):.2f} | {len(ours.cpu_s)} |")
    if bench.notes:
        lines += [""] + [f"- {note}" for note in bench.notes]
    text = "\n".join(lines)
    BENCH_DIRECTORY.mkdir(parents=True, exist_ok=True)
    (BENCH_DIRECTORY / "bench.md").write_text(text + "\n", encoding="utf-8")
    told = {
        "machine": bench.machine, "quick": bench.quick, "seconds": round(seconds, 1),
        "rows": [dict(part=row.part, what=row.what, ours=row.ours, theirs=row.theirs, ratio=row.ratio, goal=row.goal,
                      reached=row.reached, runs=row.runs, values=row.values) for row in bench.rows],
        "not_measured": [dict(part=part, what=what, reason=reason) for part, what, reason in bench.missing],
        "notes": bench.notes,
        "earlier": [dict(command=command, cpu_s=ours.cpu_s, earlier_cpu_s=earlier.cpu_s)
                    for command, ours, earlier in EARLIER["pairs"]],
    }
    (BENCH_DIRECTORY / "bench.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return text


def bench_guest(bench):
    """What one boot of a guest measures for several parts: what a workload takes by tracer, and trace-cmd's file."""
    if isinstance(bench.traces.get("guest"), NotHere):
        raise bench.traces["guest"]
    if "guest" in bench.traces:
        return bench.traces["guest"]
    if bench.quick:
        raise NotHere("--quick boots nothing")
    script = Path(__file__).with_name("guest_cost.sh")
    command = [PICKNEXT, "vm", "-q", "-k", kernel_image("6.1"), "-o", bench.scratch / "guest", "--no-trace", "-r", "1",
               "--guest", "memory=3072", "--guest", "silence-timeout=600", "-a", need_program("trace-cmd", "trace-cmd"), "-a",
               need_program("perf", "linux-perf"), "-a", PICKNEXT, "-a", TOOLS / "measure", "-a", script, "-a",
               Path(__file__).with_name("bare_tracefs.sh"), "--", "sh", script, "7", "0.02"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    logs = sorted((bench.scratch / "guest").glob("*/raw/*.log"))
    if not logs:
        bench.traces["guest"] = NotHere("the guest did not get that far: " + " ".join(done.stderr.strip().splitlines()[-1:]))
        raise bench.traces["guest"]
    told = {"runs": {}}
    for words in map(str.split, logs[0].read_text(errors="replace").splitlines()):
        if words[:1] == ["failed"]:
            bench.missing.append((bench.part, f"{words[1]} in the VM", " ".join(words[2:])))
        elif words[:1] in (["bytes"], ["events"]):
            told[words[0]] = int(words[1])
        elif len(words) == 3:
            told["runs"].setdefault(words[0], []).append((float(words[1]), float(words[2]) / 1e9))
    if told.get("events"):
        told["trace_cmd_bytes"] = told["bytes"] / told["events"]
    bench.traces["guest"] = told
    return told
