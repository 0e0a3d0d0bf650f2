# SPDX-License-Identifier: MIT
"""Engines that make many boots: how long a plan of 10,000 cells takes to list, and 24 cells by a real Slurm of one node and
4 by GNU parallel, as tests/engines runs them."""
import subprocess
import time

from bench_support import NotHere, PICKNEXT, TOP, kernel_image, measure, need_program, need_root

KERNELS, SEEDS = 10, 1000
PLAN_S = 1


def plan(bench):
    """a plan of 10,000 cells"""
    image = kernel_image("6.12")
    kernels = [word for number in range(1, KERNELS + 1) for word in ("-k", f"k{number}={image}")]
    listed = measure([PICKNEXT, "vm", *kernels, "--mode", "deterministic", "-w", "hackbench_pipe_small", "--seeds", f"1-{SEEDS}",
                      "-o", bench.scratch / "planned", "--plan"], bench.runs(5), warm_up=1)
    row = bench.add(f"a plan of {KERNELS * SEEDS:,} cells is listed", f"{listed.cpu():.2f} s", "", samples=listed.cpu_s)
    bench.goal(row, f"< {PLAN_S} s", listed.cpu() < PLAN_S)


def tests_of(bench, name, what):
    started = time.monotonic()
    done = subprocess.run(["bats", "--tap", TOP / "tests" / "engines" / f"{name}.bats"], capture_output=True, text=True,
                          check=False)
    elapsed = time.monotonic() - started
    skipped = [line.split("# skip", 1)[1].strip() for line in done.stdout.splitlines() if "# skip" in line]
    if skipped:
        raise NotHere(skipped[0])
    if done.returncode:
        raise NotHere("its test failed: " + " ".join(done.stdout.split("not ok", 1)[-1].split()[:40]))
    bench.add(what, f"{elapsed:.0f} s", "", seconds=elapsed)


def slurm(bench):
    """24 cells as a Slurm array, one cancelled, one worker killed, made again"""
    need_root()
    need_program("slurmctld", "slurm-wlm")
    tests_of(bench, "slurm", "Slurm: 24 cells, one cancelled, one killed, made again, compared")


def parallel(bench):
    """GNU parallel, here and over ssh"""
    need_program("parallel", "parallel")
    tests_of(bench, "parallel", "GNU parallel: 4 cells here, 4 on two machines over ssh, merged")


def run(bench):
    for part in plan, parallel, slurm:
        bench.attempt(part)
