# SPDX-License-Identifier: MIT
"""From the command to the comparison: two kernels, five seeds, twelve workloads, deterministic, with one and two boots at
a time; the processor time before the first boot, and that of picknext beside its guests. With --earlier also of that binary,
which boots one guest after the other and compares with a second command."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench_support import BUILD, EARLIER, NotHere, PICKNEXT, kernel_image

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
SCALE = "0.01"
SEEDS = "1-5"


@dataclass
class Tree:
    """A command and its descendants, sampled every few milliseconds while they run."""
    cpu_ticks: dict = field(default_factory=dict)  # process id: (whether it is QEMU, ticks seen last)
    start_cpu_s: float = None  # of picknext until the first guest
    wall_s: float = 0.0

    def cpu_s(self, is_qemu):
        return sum(ticks for qemu, ticks in self.cpu_ticks.values() if qemu == is_qemu) / TICKS_PER_SECOND

    def sample(self, root):
        for process in descendants(root):
            read = read_process(process)
            if read:
                self.cpu_ticks[process] = read
                if read[0] and self.start_cpu_s is None and is_guest(process):
                    self.start_cpu_s = self.cpu_s(False)


def descendants(root):
    """root first. A process that ends meanwhile is left out."""
    found = [root]
    for process in found:
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                found += map(int, Path(f"/proc/{process}/task/{task}/children").read_text(encoding="ascii").split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def read_process(process):
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, rest = text[text.index("(") + 1:].rsplit(")", 1)
    words = rest.split()
    return name.startswith("qemu"), int(words[11]) + int(words[12])


def is_guest(process):
    """Not the probe of an accelerator, and not a question for the version."""
    try:
        return b"-initrd" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False


def run_command(command, tree):
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as child:
        # The pipe is read to its end only afterwards: picknext prints less than a pipe holds.
        while child.poll() is None:
            tree.sample(child.pid)
            time.sleep(0.005)
        errors = child.stderr.read().strip().splitlines()
    if child.returncode not in (0, 1):
        raise NotHere(f"{Path(command[0]).name} ended with {child.returncode}: {' '.join(errors[-1:])}")
    tree.wall_s += time.monotonic() - begin


def common_options(kernels, output):
    options = ["--mode", "deterministic", "--seeds", SEEDS, "--scale", SCALE, "-q", "-o", output]
    for image in kernels:
        options += ["-k", image]
    return options


def whole(kernels, output, jobs):
    """This binary."""
    shutil.rmtree(output, ignore_errors=True)
    tree = Tree()
    run_command([PICKNEXT, "vm", *common_options(kernels, output), "--jobs", str(jobs)], tree)
    return tree


def whole_earlier(kernels, output):
    """The earlier one: seeds one after the other, then compare and report."""
    binary = EARLIER["binary"]
    shutil.rmtree(output, ignore_errors=True)
    tree = Tree()
    run_command([binary, "vm", *common_options(kernels, output), "--runs", "1"], tree)
    run_command([binary, "compare", output, "--overview"], tree)
    run_command([binary, "report", output, "-o", output / "report.html"], tree)
    return tree


def traces_of(output):
    return {str(path.relative_to(output)): path.read_bytes() for path in sorted(output.glob("*/raw/*.dat"))}


def run(bench):
    """vm"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    if not any((BUILD / "qemu").glob("*")):
        raise NotHere("no QEMU 10 in build/qemu (vm/fetch-qemu)")
    kernels = [kernel_image("6.1"), kernel_image("6.12")]
    one = whole(kernels, bench.scratch / "jobs1", 1)
    two = whole(kernels, bench.scratch / "jobs2", 2)
    if traces_of(bench.scratch / "jobs1") != traces_of(bench.scratch / "jobs2"):
        raise AssertionError("the traces depend on --jobs")
    what = "command to comparison, 2 kernels x 5 seeds x 12 workloads"
    values = dict(jobs_1_s=one.wall_s, jobs_2_s=two.wall_s)
    bench.add(f"{what}: wall time", f"{two.wall_s:.0f} s with --jobs 2", f"{one.wall_s:.0f} s with --jobs 1",
              one.wall_s / two.wall_s, **values)
    if EARLIER["binary"]:
        earlier = whole_earlier(kernels, bench.scratch / "earlier")
        bench.add(f"{what}: wall time", f"{two.wall_s:.0f} s with --jobs 2", f"{earlier.wall_s:.0f} s by the earlier binary",
                  earlier.wall_s / two.wall_s, at_least=1.8, earlier_s=earlier.wall_s, **values)
        add_start(bench, one, earlier)
    else:
        add_start(bench, one, None)
    for tree, jobs in (one, 1), (two, 2):
        own, guests = tree.cpu_s(False), tree.cpu_s(True)
        bench.add(f"picknext beside its guests, --jobs {jobs}: CPU time", f"{own:.1f} s", f"QEMU: {guests:.1f} s",
                  guests / own if own else None, own_s=own, guests_s=guests)


def add_start(bench, tree, earlier):
    row = bench.add("start to the first boot: CPU time", f"{tree.start_cpu_s:.2f} s",
                    f"{earlier.start_cpu_s:.2f} s by the earlier binary" if earlier else "",
                    earlier.start_cpu_s / tree.start_cpu_s if earlier and tree.start_cpu_s else None,
                    start_s=tree.start_cpu_s)
    bench.goal(row, "< 0.3 s", tree.start_cpu_s < 0.3)
