# SPDX-License-Identifier: MIT
"""Which bugs of corpus.py the comparison of `picknext vm` finds: each against the same runs of the kernel without one.

A workload runs otherwise if others ran before it in the same boot, so both sides boot the same workloads: base once for
each list of them, which bugs share. A bug first boots one seed of the workloads that its row can reach
(corpus.reached_workloads). The one whose metrics are farthest outside of base's range is then booted alone with SEEDS
seeds, and ends early if no metric remains outside. The first boot is no part of the verdict, which is that of picknext
compare, corrected as if all other workloads had run and were equal. That is not quite what vm does, where this workload
has others before it.

Each result is a file in DIR/runs-.../results/NAME.json, and one that is there is not measured again: a matrix that was
interrupted, or ran in part, goes on. PICKNEXT_BUGS_DIR is DIR (default: build/bugs).
"""
import fnmatch
import hashlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import corpus
import select_bug
from bench_support import BUILD, NotHere, PICKNEXT

SEEDS = 6
STAGES = (3, SEEDS)  # seeds after which it looks whether a metric is still outside
RATE = 0.05
# What vm reports instead of a comparison.
REFUSALS = {"kernel died": "the guest died", "kernel reports": "the guest died", "the kernel ignores": "the warning that a mix is not supported"}


def chosen_rows(words, line):
    """WORDS: names with wildcards, separated by commas; `tuning`, `held-out` and `nulls` are groups of rows. In the order
    of a hash, so that the rows that are done are a random sample."""
    groups = {"tuning": lambda row: not row.is_null and not row.is_held_out, "held-out": lambda row: row.is_held_out,
              "nulls": lambda row: row.is_null}
    chosen = []
    for word in words.split(","):
        matches = groups.get(word, lambda row, word=word: fnmatch.fnmatch(row.name, word))
        found = [row for row in corpus.ROWS if row.edits.get(line) and matches(row) and row not in chosen]
        if not found:
            raise NotHere(f"no bug of {line} is called {word}")
        chosen += sorted(found, key=lambda row: hashlib.sha256(row.name.encode()).digest()[1:])
    return chosen


def default_workloads():
    listed = subprocess.run([PICKNEXT, "list", "--json"], capture_output=True, text=True, check=True).stdout
    return [each["name"] for each in json.loads(listed) if each["default_of_vm"]]


class Matrix:
    def __init__(self, image, directory, workloads):
        self.image, self.workloads = image, workloads
        identity = hashlib.sha256(image.read_bytes() + Path(PICKNEXT).read_bytes() + ",".join(workloads).encode()).hexdigest()[:12]
        self.out = directory / f"runs-{image.name.removeprefix('vmlinux-')}-{identity}"
        self.results = self.out / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.base_turn = threading.Lock()

    def boot(self, name, last_seed, workloads, jobs=1):
        """Runs of seeds 1 to LAST_SEED in a set of these workloads; what is there is not repeated.
        (directory, exit code, CPU seconds, messages)"""
        words = ",".join(workloads)
        out = self.out / "boots" / hashlib.sha256(words.encode()).hexdigest()[:8]
        kernel = self.out / "images" / name
        select_bug.select(self.image, name, kernel)
        with subprocess.Popen(["nice", "-n", "5", PICKNEXT, "vm", "-q", "-k", f"{name}={kernel}", "-o", out, "--no-results", "-w", words,
                               "--runs", str(last_seed), "-j", str(jobs)], stderr=subprocess.PIPE, text=True) as child:
            messages = child.stderr.read().strip()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return out / name, child.returncode, usage.ru_utime + usage.ru_stime, messages

    def base(self, workloads):
        with self.base_turn:
            directory, code, _, messages = self.boot("base", SEEDS, workloads, jobs=2)
        if code:
            raise NotHere(f"base does not run: {messages}")
        return directory

    def compare(self, base, other):
        done = subprocess.run([PICKNEXT, "compare", "--json", base, other], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise NotHere(f"compare {other}: {done.stderr.strip()}")
        return json.loads(done.stdout)["rows"]

    def measure(self, row):
        workloads = corpus.reached_workloads(row, self.workloads)
        result = {"name": row.name, "held_out": row.is_held_out, "null": row.is_null, "found": False, "by": [], "seeds": 0, "cpu_s": 0,
                  "workloads": workloads}
        if not workloads:
            return result
        other = self.add_boot(row, 1, workloads, result)
        if not other:
            return result
        base = self.base(workloads)
        scores = separation(self.compare(base, other))
        result["identical"] = identical(base, other, workloads)
        result["reach"] = {name: score[0] for name, score in scores.items()}
        reached = [name for name in scores if name not in result["identical"]]
        if not reached:
            return result  # no workload reaches it, or no metric is outside of base's range
        chosen = [max(reached, key=scores.get)]
        base = self.base(chosen)
        for seeds in STAGES:
            other = self.add_boot(row, seeds, chosen, result)
            if not other:
                return result
            result["seeds"] = seeds
            rows = self.compare(base, other)
            if not separation(rows):
                return result
        result["by"] = significant(rows, len(self.workloads))
        result["found"] = bool(result["by"])
        return result

    def add_boot(self, row, last_seed, workloads, result):
        """The directory of the runs; None, and what happened in RESULT, if they failed."""
        directory, code, cpu_s, messages = self.boot(row.name, last_seed, workloads)
        result["cpu_s"] += cpu_s
        if code in (130, 143):
            raise KeyboardInterrupt
        if not code:
            return directory
        by = next((what for text, what in REFUSALS.items() if text in messages), "")
        result.update(found=bool(by), failed=code, by=[by] if by else [], answer=messages[-300:])
        return None


def identical(base, other, workloads):
    """Workloads whose traces of seed 1 are those of base, byte for byte: the bug changed no decision up to their end."""
    same = []
    for workload in workloads:
        pair = [directory / "raw" / f"{workload}_run1.dat" for directory in (base, other)]
        if all(file.exists() for file in pair):
            done = subprocess.run([PICKNEXT, "diff", *pair], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            same += [workload] * (done.returncode == 0)
    return same


def separation(rows):
    """{workload: how far metrics are outside of base's range, in ranges: the third farthest, the farthest}, of workloads
    that have such metrics. A lone metric is often a rare value that base has too."""
    distances = {}
    for metric in rows:
        base, other = (sorted(value for value in each.get("values", []) if value is not None) for each in metric["sets"])
        if len(base) < 2 or not other:
            continue
        outside = max(other[0] - base[-1], base[0] - other[-1])
        if outside > 0 and abs(metric["sets"][1]["median"] - metric["sets"][0]["median"]) >= metric["floor"]:
            ranges = outside / max(base[-1] - base[0], metric["floor"], 0.01 * base[-1], 1e-9)
            distances.setdefault(metric["workload"], []).append(round(ranges, 2))
    return {workload: (sorted([0, 0] + ranges)[-3], max(ranges)) for workload, ranges in distances.items()}


def significant(rows, workloads):
    """[workload, metric, change, is_percent] of the metrics that are significant (Benjamini and Bogomolov) if all other
    of so many workloads are equal."""
    families = {}
    for metric in rows:
        each = metric["sets"][1]
        if each.get("p_family") is not None:
            families.setdefault(metric["workload"], []).append((each["p_family"], metric["metric"], each))
    least = sorted(min(family)[0] for family in families.values())
    chosen = max((count for count, p in enumerate(least, 1) if p <= RATE * count / workloads), default=0)
    found = [[workload, name, each["change"], each["is_percent"]] for workload, family in families.items()
             for p, name, each in family if p <= RATE * chosen / workloads and each.get("verdict") in ("better", "worse", "different")]
    return sorted(found, key=lambda entry: -abs(entry[2]))


def describe(by):
    shown = [f"{metric} of {workload} {change:+.0f}{' %' if percent else ''}" for workload, metric, change, percent in by[:2]
             ] if by and not isinstance(by[0], str) else by
    return ", ".join(shown) + (f" and {len(by) - 2} more" if len(by) > 2 else "")


def table(results, line):
    lines = [f"| bug of {line} | needs | found | by | seeds | CPU s |", "|---|---|---|---|---|---|"]
    for row in corpus.ROWS:
        result = results.get(row.name)
        if result:
            lines.append(f"| {row.name}{' (held out)' if row.is_held_out else ''} | {' '.join(row.needs)} | {'yes' if result['found'] else 'no'} | "
                         f"{describe(result['by'])} | {result['seeds']} | {result['cpu_s']:.0f} |")
    return "\n".join(lines) + "\n"


def coverage(results):
    """Which workload sees which bug at seed 1: = traces are those of base, a number: ranges of base outside of its range."""
    names = sorted({workload for result in results.values() for workload in result["workloads"]})
    lines = ["| bug | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for name, result in results.items():
        cells = ["=" if workload in result.get("identical", []) else f"{result.get('reach', {}).get(workload, 0):.1f}" if workload in result["workloads"] else ""
                 for workload in names]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def run_line(bench, line, words, directory, workloads):
    image = directory / f"vmlinux-{line}"
    if not image.exists():
        raise NotHere(f"no {image} (tests/bench/bugs/build_kernel.py {line} -o {directory})")
    matrix = Matrix(image, directory, workloads)
    def one(row):
        file = matrix.results / f"{row.name}.json"
        if not file.exists():
            result = matrix.measure(row)
            file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            print(f"bench: bugs: {line} {row.name}: {'found' if result['found'] else 'not found'}, {describe(result['by'])}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, chosen_rows(words, line)))
    results = {result["name"]: result for result in (json.loads(file.read_text()) for file in sorted(matrix.results.glob("*.json")))}
    (matrix.results / "RESULTS.md").write_text(table(results, line) + "\n" + coverage(results), encoding="utf-8")
    print(table(results, line))
    summarise(bench, line, results)


def summarise(bench, line, results):
    for what, goal, of in (("bugs that were tuned with", 0.8, lambda row: not row["null"] and not row["held_out"]),
                           ("bugs held out", 0.8, lambda row: row["held_out"]), ("null changes, false alarms", None, lambda row: row["null"])):
        rows = [row for row in results.values() if of(row)]
        if not rows:
            continue
        found = sum(row["found"] for row in rows)
        entry = bench.add(f"{what}, {line}", f"{found} of {len(rows)} found", "", found=found, of=len(rows))
        bench.goal(entry, "none" if goal is None else f"≥ {goal:.0%}", found == 0 if goal is None else found >= goal * len(rows))


def run(bench):
    """scheduler bugs against the kernel without them"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    directory = Path(os.environ.get("PICKNEXT_BUGS_DIR", BUILD / "bugs"))
    options = bench.bugs
    workloads = options.workloads.split(",") if options.workloads else default_workloads()
    for line in options.bug_lines.split(","):
        bench.attempt(lambda bench, line: run_line(bench, line, options.bugs, directory, workloads), line)
