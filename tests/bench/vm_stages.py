#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the CPU time of picknext vm goes: one boot of each kernel with the default workloads, with keys and without.

vm_stages.py [--seeds 7] [-o DIR] LABEL=KERNEL LABEL=KERNEL

Prints a Markdown table: CPU seconds of each stage in one boot, and in all boots of a run with so many seeds; then after how
many CPU seconds of its boot the trace of each workload is there to be judged. QEMU's CPU
time is read from /proc when picknext -v reports that the guest is up, and that a trace was made or sent. What keys cost is
the difference to the boot without them. How much of a workload's time is read-out is known in the guest's time only,
from the JSON of its runs: that share of the CPU time. Stages that nothing divides further are named together."""
import argparse
import datetime
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PICKNEXT = os.environ.get("PICKNEXT", str(Path(__file__).resolve().parents[2] / "build/picknext"))
TICK = os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    """Name, parent, and CPU seconds; None: it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    fields = text.rsplit(")", 1)[1].split()
    return text.split("(", 1)[1].rsplit(")", 1)[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / TICK


def find_qemu(root):
    """The PID of the QEMU that picknext has started; None: there is none."""
    known = {int(pid): stat_of(pid) for pid in os.listdir("/proc") if pid.isdigit()}
    for pid, stat in known.items():
        if not stat or not stat[0].startswith("qemu-system"):
            continue
        while pid in known and known[pid] and pid != root:
            pid = known[pid][1]
        if pid == root:
            return next(key for key, value in known.items() if value is stat)
    return None


class Watch:
    """CPU seconds of each QEMU at its last sample, and at the lines of picknext."""

    def __init__(self, process):
        self.process = process
        self.pid, self.cpu_s = None, 0.0
        self.over = threading.Event()
        self.boots = {}  # by label: [(mark, CPU seconds)]

    def sample(self):
        stat = stat_of(self.pid) if self.pid else None
        if not stat or not stat[0].startswith("qemu-system"):
            self.pid = find_qemu(self.process.pid)
            stat = stat_of(self.pid) if self.pid else None
            if not stat:
                return
        self.cpu_s = stat[2]

    def poll(self):
        while not self.over.wait(0.05):
            self.sample()

    def read(self):
        marks = (("up", r"(\S+), seed \d+: up after"), ("made", r"(\S+), seed \d+: \[\d+/\d+\] (\S+)_run\d+:"),
                 ("sent", r"(\S+): (\S+)_run\d+ done "), ("end", r"(\S+), seed \d+: \d+ traces?, "))
        thread = threading.Thread(target=self.poll)
        thread.start()
        for line in self.process.stderr:
            self.sample()
            for mark, pattern in marks:
                found = re.match(pattern, line)
                if found:
                    self.boots.setdefault(found[1], []).append((mark, found[2] if found.lastindex > 1 else "", self.cpu_s))
        self.over.set()
        thread.join()


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words):
    """CPU seconds of a command that ends."""
    before = cpu_of_children()
    done = subprocess.run([PICKNEXT] + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"picknext {words[0]}: {done.stderr.strip()}")
    return cpu_of_children() - before


def boot(kernels, words, directory):
    """The marks of each boot, one after the other."""
    line = [PICKNEXT, "vm", "-v", "--mode", "deterministic", "--seeds", "1", "--jobs", "1", "--no-results", "-o", directory]
    for kernel in kernels:
        line += ["-k", kernel]
    with subprocess.Popen(line + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        watch = Watch(process)
        watch.read()
    if process.returncode:
        sys.exit(f"picknext vm ended with {process.returncode}")
    return watch.boots


def default_workloads(directory, label):
    recipe = json.loads(next(Path(directory, label, "raw").glob("*.json")).read_text(encoding="utf-8"))["recipe"]
    return next(word for word in recipe if word.startswith("--workload="))


def read_out_share(raw):
    """Of the guest's time from the start of a workload to its complete trace."""
    window = after = 0.0
    for path in Path(raw).glob("*.json"):
        run_json = json.loads(path.read_text(encoding="utf-8"))
        made = datetime.datetime.fromisoformat(run_json["collected_at"]).timestamp()
        window += made - run_json["start_time"]
        after += made - run_json["end_time"]
    return after / window


def stages_of(marks):
    """CPU seconds until the guest is up, then of each workload's trace, then of what is sent, then to the end."""
    up_s = next(cpu_s for mark, _, cpu_s in marks if mark == "up")
    made, sent_s, last_s = {}, 0.0, up_s
    for mark, name, cpu_s in marks:
        if mark == "made":
            made[name] = cpu_s - last_s
        elif mark in ("sent", "end"):
            sent_s += cpu_s - last_s
        last_s = cpu_s
    return up_s, made, sent_s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs=2, metavar="LABEL=KERNEL")
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("-o", dest="directory", help="keep the runs here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.directory or scratch
        with_keys, without = f"{directory}/keys", f"{directory}/plain"
        labels = [kernel.split("=", 1)[0] for kernel in options.kernels]
        boots = boot(options.kernels, [], with_keys)
        plain = boot(options.kernels, [default_workloads(with_keys, labels[0])], without)
        sets = [f"{with_keys}/{label}" for label in labels]
        rows = {}
        for label, directory_of_set in zip(labels, sets):
            up_s, made, sent_s = stages_of(boots[label])
            _, plain_made, _ = stages_of(plain[label])
            first = next(iter(made))
            attached_s = made[first] - plain_made[first]
            workloads_s = sum(plain_made[name] for name in made)
            read_s = read_out_share(f"{directory_of_set}/raw") * (sum(made.values()) - attached_s)
            parts = {"kernel and init, until the guest is up": up_s,
                     "keys: probes of the first workload": attached_s,
                     "keys: while the workloads run": sum(made.values()) - attached_s - workloads_s,
                     "workloads, and what is between them": workloads_s - read_s,
                     "read-out (its share of the guest's time)": read_s,
                     "sending traces, end": sent_s,
                     "judging as traces arrive (check-rule)": run(["check-rule", f"{directory_of_set}/raw"])}
            for name, seconds in parts.items():
                rows.setdefault(name, []).append(seconds)
        compare_s, report_s = run(["compare", *sets]), run(["report", *sets, "-o", f"{directory}/page.html"])
    print(f"| stage | {' | '.join(f'{label}, a boot' for label in labels)} | {2 * options.seeds} boots |")
    print("|---|" + "--:|" * (len(labels) + 1))
    total_s = 0.0
    for name, seconds in rows.items():
        total_s += sum(seconds) * options.seeds
        print(f"| {name} | {' | '.join(f'{second:.1f}' for second in seconds)} | {sum(seconds) * options.seeds:.0f} |")
    for name, seconds in (("comparison", compare_s), ("report", report_s)):
        total_s += seconds * options.seeds
        print(f"| {name} (of one seed, times {options.seeds}) | | | {seconds * options.seeds:.0f} |")
    print(f"| all | | | {total_s:.0f} |")
    for label in labels:
        print(f"\n{label}: " + ", ".join(f"{name} {cpu_s:.0f}" for mark, name, cpu_s in boots[label] if mark == "sent") + ".")


if __name__ == "__main__":
    main()
