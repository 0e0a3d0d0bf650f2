# SPDX-License-Identifier: MIT
"""Taking a trace out of the kernel: the text file `trace`, as collect_traces.py does, against ring-buffer pages."""
import statistics
import subprocess

from bench_support import NotHere, PICKNEXT, TOOLS, kernel_image, measure, need_root

WORKLOAD = "hackbench_pipe_small"


COPIES = 1.3


def add_rows(bench, where, runs):
    """runs: of (events, text_ns, text_bytes, pages_ns, pages_bytes)."""
    text = [ns / events for events, ns, _, _, _ in runs]
    pages = [ns / events for events, _, _, ns, _ in runs]
    ratios = [a / b for a, b in zip(text, pages)]
    bench.add(f"reading out, {where}", f"{statistics.median(pages):.0f} ns an event",
              f"text `trace`: {statistics.median(text):.0f} ns", statistics.median(ratios), None, pages,
              text_ns=text, pages_ns=pages)
    size = statistics.median(b / events for events, _, _, _, b in runs)
    text_size = statistics.median(b / events for events, _, b, _, _ in runs)
    bench.add(f"what is read, {where}", f"{size:.0f} B an event", f"text: {text_size:.0f} B", text_size / size)


def figures(line):
    return tuple(map(int, line.split()))


def on_host(bench):
    """reading out on this machine"""
    need_root()
    runs = []
    for _ in range(bench.runs(5)):
        done = subprocess.run([TOOLS / "readout", bench.scratch, PICKNEXT, "run", "-q", WORKLOAD,
                               "--scale", "0.05" if bench.quick else "1"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotHere((done.stderr.strip() or "the workload failed").splitlines()[-1])
        runs.append(figures(done.stdout))
    add_rows(bench, "this machine", runs)
    pages = sorted(bench.scratch.glob("cpu*.pages"))
    (bench.scratch / "copied").mkdir()
    copied = measure(["cp"] + pages + [bench.scratch / "copied"], bench.runs(5))
    events = runs[-1][0]
    ours = [pages_ns / count for count, _, _, pages_ns, _ in runs]
    cp_ns = copied.cpu() / events * 1e9
    copies = statistics.median(ours) / cp_ns
    row = bench.add("reading out, against `cp` of the same bytes", f"{statistics.median(ours):.0f} ns an event",
                    f"cp: {cp_ns:.0f} ns", samples=ours, copies=copies)
    row.ratio_text = f"takes {copies:.1f} times"
    bench.goal(row, f"≤ {COPIES} times", copies <= COPIES)


def in_guest(bench):
    """reading out in a virtual machine"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    out = bench.scratch / "readout"
    script = f"for i in 1 2 3 4; do {TOOLS / 'readout'} /tmp /bin/picknext run -q {WORKLOAD} --scale 0.1; done"
    subprocess.run([PICKNEXT, "vm", "-q", "-k", kernel_image("6.1"), "-o", out, "--no-trace", "-r", "1", "-a",
                    TOOLS / "readout", "--guest", "memory=2048", "--", "sh", "-c", script], capture_output=True, check=False)
    logs = sorted(out.glob("*/raw/*.log"))
    runs = [figures(line) for log in logs for line in log.read_text().splitlines() if len(line.split()) == 5]
    if not runs:
        raise NotHere("the guest did not get that far")
    add_rows(bench, "6.1 in the VM", runs)


def run(bench):
    bench.attempt(on_host)
    bench.attempt(in_guest)
