# SPDX-License-Identifier: MIT
"""Pools of deterministic runs, one per condition, from which verdicts.py and scale_signs.py draw sets. They stay in
build/bench-pools (PICKNEXT_POOLS=DIR: there): picknext vm does not repeat a run that is there with the same inputs."""
import json
import os
import re
import subprocess
from pathlib import Path

from bench_support import BUILD, NotHere, PICKNEXT, kernel_image

POOLS = Path(os.environ.get("PICKNEXT_POOLS", BUILD / "bench-pools"))


def record(name, lines, seeds, *arguments):
    """The directories of the pool, one for each line of kernels: seeds 1 to that number."""
    pool = POOLS / name
    kernels = [word for line in lines for word in ("-k", f"{line}={kernel_image(line)}")]
    POOLS.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([PICKNEXT, "vm", "-q", "--mode", "deterministic", "--no-results", *kernels, "--seeds", f"1-{seeds}", "-o", pool,
                           *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere(f"pool {name}: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    return [pool / line for line in lines]


def draw(pool, seeds, workloads, directory):
    """A set of the pool's runs: links to those of these seeds and workloads (empty: all)."""
    raw = directory / "raw"
    raw.mkdir(parents=True)
    for path in sorted((pool / "raw").iterdir()):
        found = re.fullmatch(r"(.+)_run(\d+)\.(dat|json)", path.name)
        if found and int(found[2]) in seeds and (not workloads or found[1] in workloads):
            (raw / path.name).symlink_to(path.resolve())
    return directory


def held_metrics():
    """The metrics that hold in a deterministic guest."""
    text = subprocess.run([PICKNEXT, "compare", "--list"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^(\S+) .*?\bholds\b", text, re.M)
    if not names:
        raise NotHere("picknext compare --list names no metric that holds in a deterministic guest")
    return names


def compare(base, other, metrics, workloads="*"):
    """The comparison as picknext's JSON."""
    done = subprocess.run([PICKNEXT, "compare", "--json", "-m", ",".join(metrics), "-w", workloads, base, other],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere("compare: " + " ".join(done.stderr.strip().splitlines()[-1:]))
    return json.loads(done.stdout)


def is_shown(cell):
    """The interval excludes 0, before the correction for the number of metrics. An end without a limit is None."""
    return (cell["low"] is not None and cell["low"] > 0) or (cell["high"] is not None and cell["high"] < 0)


def is_tested(cell):
    """It has an interval, and not only because all values are the same."""
    return (cell["low"], cell["high"]) not in ((None, None), (0, 0))
