# SPDX-License-Identifier: MIT
"""compare --history on a kernel tree of twelve commits: Debian's linux-source-6.1 and eleven changes to its scheduler, two of
which change what it decides. The kernels and the runs of each stay in build/bench-pools/history. PICKNEXT_SEEDS: how many
seeds of each (default 5)."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from bench_support import NotHere, PICKNEXT, need_program
from guest_pools import POOLS

SOURCE = "linux-source-6.1"
CONFIG = Path(__file__).with_name("history.config")
WORKLOADS = "cpu_bound_4p,io_mixed"
FAIR, CORE, RT = "kernel/sched/fair.c", "kernel/sched/core.c", "kernel/sched/rt.c"

# What each commit after the first changes: (subject, (file, old text, new text)...).
COMMITS = (
    ("sched/fair: a comment on the latency",
     (FAIR, "unsigned int sysctl_sched_latency\t\t\t=", "/* In nanoseconds. */\nunsigned int sysctl_sched_latency\t\t\t=")),
    ("sched/fair: an early return without a branch hint",
     (FAIR, "\tif (unlikely(se == pse))\n\t\treturn;", "\tif (se == pse)\n\t\treturn;")),
    ("sched/core: a note for boot",
     (CORE, "void __init sched_init(void)\n{",
      'static const char sched_history_note[] __initconst = "sched: history tree\\n";\n\nvoid __init sched_init(void)\n{')),
    ("sched/fair: a latency target of 18 ms",
     (FAIR, "sysctl_sched_latency\t\t\t= 6000000ULL", "sysctl_sched_latency\t\t\t= 18000000ULL"),
     (FAIR, "normalized_sysctl_sched_latency\t= 6000000ULL", "normalized_sysctl_sched_latency\t= 18000000ULL")),
    ("sched/fair: a helper for the number of tasks",
     (FAIR, "static void check_preempt_wakeup(struct rq *rq,",
      "static inline int __maybe_unused fair_tasks(struct cfs_rq *cfs_rq)\n{\n\treturn cfs_rq->nr_running;\n}\n\n"
      "static void check_preempt_wakeup(struct rq *rq,")),
    ("sched/core: print the note", (CORE, "\twait_bit_init();", '\tpr_debug("%s", sched_history_note);\n\twait_bit_init();')),
    ("sched/fair: use the helper",
     (FAIR, "int scale = cfs_rq->nr_running >= sched_nr_latency;", "int scale = fair_tasks(cfs_rq) >= sched_nr_latency;")),
    ("sched/fair: woken tasks do not preempt",
     (FAIR, "\tif (se == pse)\n\t\treturn;", "\tif (se == pse || !task_has_idle_policy(curr))\n\t\treturn;")),
    ("sched/rt: a comment",
     (RT, "int sched_rr_timeslice = RR_TIMESLICE;", "/* Of SCHED_RR alone. */\nint sched_rr_timeslice = RR_TIMESLICE;")),
    ("sched/fair: a clearer name",
     (FAIR, "__maybe_unused fair_tasks(", "__maybe_unused fair_nr_tasks("), (FAIR, "fair_tasks(cfs_rq) >=", "fair_nr_tasks(cfs_rq) >=")),
    ("sched/fair: a constant for the helper",
     (FAIR, "fair_nr_tasks(struct cfs_rq *cfs_rq)", "fair_nr_tasks(const struct cfs_rq *cfs_rq)")),
)
INJECTED = ("sched/fair: a latency target of 18 ms", "sched/fair: woken tasks do not preempt")
SUBJECTS = ("Linux 6.1", *(commit[0] for commit in COMMITS))


def label(number):
    return f"c{number + 1:02}"


# --- The kernels ---


def make(tree, *targets):
    environment = {**os.environ, "KBUILD_BUILD_TIMESTAMP": "1970-01-01", "KBUILD_BUILD_VERSION": "1",
                   "KBUILD_BUILD_USER": "picknext", "KBUILD_BUILD_HOST": "picknext"}
    done = subprocess.run(["make", "-s", f"-j{os.cpu_count()}", *targets], cwd=tree, env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise NotHere(f"make {' '.join(targets)} in {tree}: " + " ".join(done.stderr.strip().splitlines()[-2:]))


def unpack(tree):
    archive = Path("/usr/src") / f"{SOURCE}.tar.xz"
    if not archive.exists():
        raise NotHere(f"no {archive} (apt-get install {SOURCE})")
    for program, package in (("flex", "flex"), ("bison", "bison"), ("bc", "bc")):
        need_program(program, package)
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["tar", "-xf", archive, "-C", tree.parent], check=True)
    make(tree, "tinyconfig")
    subprocess.run(["scripts/kconfig/merge_config.sh", "-m", ".config", CONFIG], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    make(tree, "olddefconfig")


def change(tree, edits):
    for name, old, new in edits:
        path = tree / name
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise NotHere(f"{SOURCE} is another than the one that was changed: {name} has no {old!r}")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def build_kernels(pool):
    """One image for each commit; those that are there are not built again."""
    images = [pool / label(number) for number in range(len(SUBJECTS))]
    if all(image.exists() for image in images):
        return images
    pool.mkdir(parents=True, exist_ok=True)
    tree = pool / SOURCE
    unpack(tree)
    for number, image in enumerate(images):
        if number:
            change(tree, COMMITS[number - 1][1:])
        make(tree, "bzImage")
        shutil.copy(tree / "arch/x86/boot/bzImage", image)
    shutil.rmtree(tree)
    return images


# --- What is found ---


def record(images, seeds, out):
    kernels = [word for image in images for word in ("-k", f"{image.name}={image}")]
    done = subprocess.run([PICKNEXT, "vm", "-q", "--deterministic", "--no-compare", "--no-dataset", *kernels, "-w", WORKLOADS,
                           "--seeds", f"1-{seeds}", "-o", out], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere(f"{out}: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    return [out / image.name for image in images]


def found_changes(sets):
    """{label: {workload: [metric with its change...]}} in the order of the sets, and how many metrics were tested."""
    done = subprocess.run([PICKNEXT, "compare", "--history", "--json", "-q", *sets], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere("compare --history: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    document = json.loads(done.stdout)
    found = {directory.name: {} for directory in sets}
    for series in document["series"]:
        for each in series["changes"]:
            size = f"{each['change']:+.0f} %" if each["is_percent"] else f"{each['change']:+.3g}"
            found[each["set"]].setdefault(series["workload"], []).append(f"{series['metric']} {size}")
    return found, document["tested"]


def table(found):
    lines = ["| commit | what it does | changes decisions | metrics that change there |", "|---|---|---|---|"]
    for (name, changes), subject in zip(found.items(), SUBJECTS):
        cell = "; ".join(f"{workload}: {', '.join(metrics)}" for workload, metrics in changes.items())
        lines.append(f"| {name} | {subject} | {'yes' if subject in INJECTED else ''} | {cell} |")
    return lines


def run(bench):
    """two changed commits among twelve, by compare --history"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    need_program("qemu-system-x86_64", "qemu-system-x86")
    seeds = int(os.environ.get("PICKNEXT_SEEDS", "5"))
    pool = POOLS / "history"
    found, tested = found_changes(record(build_kernels(pool), seeds, pool / f"runs-{seeds}"))
    print("\n".join(table(found)))
    named = {subject for (_, changes), subject in zip(found.items(), SUBJECTS) if changes}
    right, wrong = len(named.intersection(INJECTED)), len(named.difference(INJECTED))
    row = bench.add(f"12 commits, {seeds} seeds, {tested} metrics tested: commits that change decisions and are named", f"{right} of {len(INJECTED)}",
                    f"other commits named: {wrong}", samples=[right])
    bench.goal(row, "2 of 2, no other", right == len(INJECTED) and wrong == 0)
