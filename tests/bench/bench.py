#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The speed of picknext beside that of the tools that people use now, measured on this machine, as a Markdown table on
standard output and in build/bench/bench.md and bench.json.

bench.py [--only readout,dataset,...] [--quick] [--keep] [--earlier BINARY]
bench.py --only bugs [--bugs NAMES] [--bug-lines 6.12,7.3]

Called by `make bench`, which builds what it needs. Times are processor time (user and system) unless the line says
otherwise, so that other load on the machine does little harm. Each figure is the median of its runs; the spread is from
the fastest to the slowest of picknext's runs, as a share of the median. What cannot be measured here is named, with the
reason.
"""
import argparse
import os
import platform
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "bugs"))
import analysis_speed
import dataset_speed
import library_speed
import matrix
import readout_speed
import text_speed
import trace_size
import why_speed
import workload_cost
from bench_support import Bench, BENCH_DIRECTORY, EARLIER, write_report

# In this order: the later ones use the traces that the earlier ones recorded.
PARTS = {
    "readout": readout_speed.run,
    "dataset": dataset_speed.run,
    "text": text_speed.run,
    "library": library_speed.run,
    "analysis": analysis_speed.run,
    "why": why_speed.run,
    "size": trace_size.run,
    "cost": workload_cost.run,
}
# Hours: only if it is named.
LONG_PARTS = {"bugs": matrix.run}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    memory_kb = int(next(line for line in open("/proc/meminfo", encoding="utf-8")).split()[1])
    return (f"{len(models)} CPUs ({models[0] if models else platform.machine()}), {memory_kb / 1048576:.0f} GB, "
            f"Linux {platform.release()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS),
                        help="these parts, separated by commas: " + ", ".join(PARTS)
                        + "; not by default: " + ", ".join(LONG_PARTS))
    parser.add_argument("--quick", action="store_true", help="few events, one run, no virtual machine: for tests")
    parser.add_argument("--keep", action="store_true", help="keep the traces in build/bench")
    parser.add_argument("--earlier", metavar="BINARY", help="measure this picknext too, in turns with the one in build/, "
                        "and compare their times in a second table")
    parser.add_argument("--bugs", default="tuning,nulls", metavar="NAMES", help="of the part bugs: names with wildcards, or "
                        "all, tuning, held-out, nulls, blind-tuning, blind-final (default: %(default)s)")
    parser.add_argument("--bug-lines", default="6.12,7.3", metavar="LINES", help="kernels of the part bugs (default: %(default)s)")
    options = parser.parse_args()
    if options.earlier:
        if not os.access(options.earlier, os.X_OK):
            parser.error(f"--earlier {options.earlier}: not a program")
        EARLIER["binary"] = os.path.abspath(options.earlier)
    chosen = [name for name in options.only.split(",") if name]
    unknown = [name for name in chosen if name not in PARTS and name not in LONG_PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join({**PARTS, **LONG_PARTS})}")
    scratch = BENCH_DIRECTORY / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    bench = Bench(scratch=scratch, quick=options.quick, machine=machine(), bugs=options)
    begin = time.monotonic()
    try:
        for name, part in {**PARTS, **LONG_PARTS}.items():
            if name not in chosen:
                continue
            bench.part = name
            bench.attempt(part)
            write_report(bench, time.monotonic() - begin)  # what is known, should somebody lose patience
    finally:
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(write_report(bench, time.monotonic() - begin))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        os.write(2, b"bench: interrupted\n")
        sys.exit(130)
