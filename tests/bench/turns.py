# SPDX-License-Identifier: MIT
"""Why wall-clock kernels are recorded in turns: 20 times ten boots of one kernel, the last five with half a host CPU. Boots 1
to 5 against 6 to 10 are sets that were recorded one after the other; odd against even boots are sets that took turns. All
differences are false. Needs root and a cpu controller (cgroup v1 or v2). The runs stay in build/bench-pools/turns."""
import os
import subprocess
import tempfile
from pathlib import Path

from bench_support import NotHere, PICKNEXT, kernel_image, need_root
from guest_pools import POOLS, compare, is_shown, is_tested

COMPARISONS = 20
BOOTS = 10
LINE = "6.12-cloud-amd64"
WORKLOADS = "hackbench_pipe_small,sysbench_threads_8t,cpu_bound_4p"
ORDERS = {"one after the other": ((1, 2, 3, 4, 5), (6, 7, 8, 9, 10)), "in turns": ((1, 3, 5, 7, 9), (2, 4, 6, 8, 10))}
PERIOD_US = 100000


def half_a_cpu():
    """A control group with that limit."""
    v1, v2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
    if (v1 / "cpu.cfs_quota_us").exists() or (v1 / "cgroup.procs").exists():
        group = v1 / "picknext-bench"
        group.mkdir(exist_ok=True)
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="ascii")
        (group / "cpu.cfs_quota_us").write_text(str(PERIOD_US // 2), encoding="ascii")
    elif (v2 / "cgroup.controllers").exists() and "cpu" in (v2 / "cgroup.controllers").read_text(encoding="ascii").split():
        (v2 / "cgroup.subtree_control").write_text("+cpu", encoding="ascii")
        group = v2 / "picknext-bench"
        group.mkdir(exist_ok=True)
        (group / "cpu.max").write_text(f"{PERIOD_US // 2} {PERIOD_US}", encoding="ascii")
    else:
        raise NotHere("no cpu controller in /sys/fs/cgroup")
    return group


def boot(image, directory, group):
    """One boot into directory, unless it is there."""
    if any(directory.glob("*/raw/cpu_bound_4p_run0.dat")):
        return
    enter = (lambda: (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")) if group else None
    done = subprocess.run([PICKNEXT, "vm", "-q", "-k", image, "--wall-clock", "-r", "1", "-w", WORKLOADS, "--scale", "0.02",
                           "--engine", "qemu", "--accelerator", "tcg", "--force", "-o", directory],
                          preexec_fn=enter, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere(f"{directory}: " + " ".join(done.stderr.strip().splitlines()[-1:]))


def collect_set(boots, directory):
    """A set of one run for each boot: links."""
    raw = directory / "raw"
    raw.mkdir(parents=True)
    for number, each in enumerate(boots):
        for path in each.glob("*/raw/*_run0.*"):
            (raw / path.name.replace("_run0.", f"_run{number}.")).symlink_to(path.resolve())
    return directory


def count_order(pool, base, other):
    """Tests, intervals that exclude 0, significant ones, and comparisons that have one."""
    counts = [0] * 4
    for number in range(1, COMPARISONS + 1):
        boots = {place: pool / f"c{number}" / f"b{place}" for place in base + other}
        with tempfile.TemporaryDirectory() as scratch:
            document = compare(collect_set([boots[place] for place in base], Path(scratch) / "a"),
                               collect_set([boots[place] for place in other], Path(scratch) / "b"), ["*"])
        cells = [cell for cell in (row["sets"][1] for row in document["rows"]) if is_tested(cell)]
        significant = sum(cell["significant"] for cell in cells)
        for place, value in enumerate((len(cells), sum(map(is_shown, cells)), significant, significant > 0)):
            counts[place] += value
    return counts


def run(bench):
    """one kernel against itself, one after the other and in turns"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    need_root()
    image, group, pool = kernel_image(LINE), half_a_cpu(), POOLS / "turns"
    for number in range(1, COMPARISONS + 1):
        for place in range(1, BOOTS + 1):
            boot(image, pool / f"c{number}" / f"b{place}", group if place > BOOTS // 2 else None)
    lines = ["| 20 comparisons of 5 against 5 boots, recorded | metrics tested | intervals without 0 | significant after correction |"
             " comparisons with one | expected at most |", "|---|---|---|---|---|---|"]
    for name, (base, other) in ORDERS.items():
        tested, shown, significant, wrong = count_order(pool, base, other)
        lines.append(f"| {name} | {tested} | {shown} | {significant} | {wrong} | {COMPARISONS * 0.05:.0f} |")
        bench.add(f"one kernel against itself, load of the host changes halfway, recorded {name}", f"{wrong} of {COMPARISONS}",
                  "expected at most 1", tested=tested, shown=shown, significant=significant)
    print("\n".join(lines))
