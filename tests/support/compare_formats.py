#!/usr/bin/env python3
"""compare_formats.py [TRACE.dat...]: each format that picknext reads, against a reader of its own: this Python for texts,
trace-cmd report -t -R for a trace.dat. A Markdown table on standard output: files, switches and wakeups that were compared,
row by row (time, CPU, name, PID, priority and state before; name, PID and priority after), and differences, which are also
listed on standard error. Texts are the files of tests/golden/foreign, and those made here of the traces given."""
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PICKNEXT = os.environ.get("PICKNEXT", TOP / "build/picknext")
FOREIGN = TOP / "tests/golden/foreign"
NUMBER = r"(-?\d+)"
SWITCHES = [re.compile(text.replace("#", NUMBER)) for text in (
    r"prev_comm=(.*) prev_pid=# prev_prio=# prev_state=(\S+) (?:==> )?next_comm=(.*) next_pid=# next_prio=#\s*$",
    r"task (.*):# \[#\] \((\S+?)\) ==> (.*):# \[#\]\s*$",
    r"(.*):# \[#\] (\S+) ==> (.*):# \[#\]\s*$")]
WAKEUP = re.compile(r"sched_wakeup(?:_new)?:\s")
HEAD = re.compile(r"\[(\d+)\][^:]*?\s(\d+)\.(\d{6,9}):")
FLAGS_HEAD = re.compile(r"-\d+\s+(\d+)\S{4,6}\s+(\d+)\.(\d{6,9}):")
LATENCY_HEAD = re.compile(r"-\d+\s+(\d+)\S{4,6}\s+(\d+)us\S* *:")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode(errors="surrogateescape")


def state_of(text):
    """The letters of a raw state (report -R), of which 0x100 and above are a preemption."""
    if not text[0].isdigit():
        return text
    bits = int(text, 0)
    letters = "|".join(letter for bit, letter in enumerate("SDTtXZPI") if bits >> bit & 1)
    return (letters or "R") + ("+" if bits > 0xff else "")


def read_head(line):
    found = HEAD.search(line) or FLAGS_HEAD.search(line)
    if found:
        return int(found[1]), int(found[2]) * 10**9 + int(found[3].ljust(9, "0")), found.end()
    found = LATENCY_HEAD.search(line)
    return (int(found[1]), int(found[2]) * 1000, found.end()) if found else None


def read_text(text):
    """Switches by time, and the number of wakeups."""
    switches, wakeups = [], 0
    for line in text.split("\n"):
        head = read_head(line)
        rest = line[head[2]:] if head else ""
        wakeups += bool(WAKEUP.search(rest))
        name, _, fields = rest.partition("sched_switch:")
        if not _ or fields.lstrip().startswith("("):
            continue
        for form in SWITCHES:
            found = form.match(fields.strip())
            if found:
                comm, pid, prio, state, *after = found.groups()
                switches.append((head[1], head[0], comm, int(pid), int(prio), state_of(state), after[0], int(after[1]), int(after[2])))
                break
        else:
            raise SystemExit(f"no form fits: {line}")
    return sorted(switches, key=lambda row: row[0]), wakeups


def read_ours(path):
    rows = csv.DictReader(io.StringIO(run(PICKNEXT, "timeline", "--csv", path)))
    switches = [(int(row["ts_ns"]), int(row["cpu"]), row["prev_comm"], int(row["prev_pid"]), int(row["prev_prio"]), row["prev_state"],
                 row["next_comm"], int(row["next_pid"]), int(row["next_prio"])) for row in rows if row["kind"] == "switch"]
    code = subprocess.run([PICKNEXT, "check", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    counts = {finding["name"]: finding["text"] for finding in json.loads(code.stdout)["traces"][0]["findings"]}["events"]
    return switches, int(re.search(r"([\d,]+) wakeup", counts)[1].replace(",", ""))


def by_cpu(lines):
    cpus = {}
    for line in lines:
        head = read_head(line)
        cpus.setdefault(head and head[0], []).append(line)
    return "\n".join("\n".join(cpus[cpu]) for cpu in sorted(cpus, key=lambda cpu: -1 if cpu is None else cpu)) + "\n"


def as_perf(line):
    found = re.match(r"(.{16})-(\d+) +(?:\([^)]*\) +)?(\[\d+\]) +\S+ +(\S+): (\w+): (.*)", line)
    return f"{found[1].strip():>16} {found[2]:>5} {found[3]} {found[4]}: sched:{found[5]}: {found[6]}" if found else ""


def as_latency(line):
    found = re.match(r"(.{16})-(\d+) +(?:\([^)]*\) +)?\[(\d+)\] +(\S+) +(\d+)\.(\d{6}): (.*)", line)
    return f"{found[1].strip()[:8]:>8}-{found[2]:<5} {int(found[3]):>4}{found[4]} {int(found[5] + found[6])}us : {found[7]}" if found else line


def texts_of(trace):
    """The formats that can be made of a trace.dat here, by name."""
    kernel = run(PICKNEXT, "export", "-q", "-o", "-", trace)
    lines = kernel.splitlines()
    page = "<!DOCTYPE html>\n<script class=\"trace-data\" type=\"application/text\">\n"
    return {
        "kernel": kernel,
        "kernel, per_cpu files one after another": by_cpu(lines),
        "kernel, in a page": page + kernel + "</script>\n",
        "latency format": "\n".join(map(as_latency, lines)) + "\n",
        "perf script": "\n".join(filter(None, map(as_perf, lines))) + "\n",
        "trace-cmd report": run("trace-cmd", "report", "-i", trace),
        "trace-cmd report -l": run("trace-cmd", "report", "-l", "-i", trace),
        "trace-cmd report --ts-diff": run("trace-cmd", "report", "--ts-diff", "-i", trace),
        "trace-cmd report -t": run("trace-cmd", "report", "-t", "-i", trace),
        "trace-cmd report -R": run("trace-cmd", "report", "-R", "-i", trace),
    }


class Table:
    def __init__(self):
        self.rows = {}

    def compare(self, name, reader, path, theirs):
        ours = read_ours(path)
        differences = sum(a != b for a, b in zip(ours[0], theirs[0])) + abs(len(ours[0]) - len(theirs[0])) + abs(ours[1] - theirs[1])
        for a, b in zip(*map(list, (ours[0], theirs[0]))):
            if a != b:
                print(f"{name}: {path}: picknext {a}, {reader} {b}", file=sys.stderr)
        row = self.rows.setdefault(name, [reader, 0, 0, 0, 0])
        for at, value in enumerate((1, len(theirs[0]), theirs[1], differences), 1):
            row[at] += value

    def show(self):
        print("| format | files | switches | wakeups | read independently by | differences |\n|---|--:|--:|--:|---|--:|")
        for name, (reader, files, switches, wakeups, differences) in self.rows.items():
            print(f"| {name} | {files} | {switches:,} | {wakeups:,} | {reader} | {differences} |")
        return sum(row[4] for row in self.rows.values())


def main():
    table = Table()
    with tempfile.TemporaryDirectory() as scratch:
        for given in sys.argv[1:]:
            trace = Path(scratch) / "trace.dat"
            trace.write_bytes(gzip.decompress(Path(given).read_bytes()) if given.endswith(".gz") else Path(given).read_bytes())
            table.compare("trace.dat", "trace-cmd", trace, read_text(run("trace-cmd", "report", "-t", "-R", "-i", trace)))
            for name, text in texts_of(trace).items():
                path = Path(scratch) / "text.txt"
                path.write_text(text, encoding="utf-8", errors="surrogateescape")
                table.compare(name, "Python", path, read_text(text))
        for path in sorted(FOREIGN.iterdir()):
            text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            if ".dat" in path.suffixes or path.name in ("README", "clock_without_decimals.txt"):
                continue
            copy = Path(scratch) / path.name.removesuffix(".gz")
            copy.write_bytes(text)
            table.compare("files of foreign/", "Python", copy, read_text(text.decode(errors="surrogateescape")))
    return table.show() != 0


if __name__ == "__main__":
    sys.exit(main())
