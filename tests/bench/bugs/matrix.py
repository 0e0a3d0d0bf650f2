# SPDX-License-Identifier: MIT
"""Which bugs of corpus.py the comparison of `picknext vm` finds: each against the same runs of the kernel without one.

All of vm's default workloads in one boot of each seed would cost 80 seconds of CPU time. A bug boots the parts of them
(corpus.PARTS) that its row can reach, one after the other until it is found; base booted the same parts once, with more
seeds. A workload runs otherwise if others ran before it in its boot, so this is not quite what vm does.

First each row boots the workloads of its needs (corpus.FIRST; some also in another guest) with one seed, and a null change
those of all needs. It is found if `picknext check-rule` names a break of the rule or of an invariant that base, with the same
seed, does not have, or if the guest dies and that of base does not. What is named in base is a false alarm too, and has a line
of its own. Bugs not found get more seeds of the same, and then of their parts; null changes, those of the whole default set. The
verdict is then that of check-rule again, or that of picknext compare, corrected as if all other default workloads had run and
were equal. A part ends early
- if the traces of the first two seeds are those of base, byte for byte: it does not reach the change;
- if after three seeds no metric of a bug is outside of base's range: not found, though more seeds might have found it.

Each result is a file in DIR/runs-.../results/NAME.json, and one that is there is not measured again: a matrix that was
interrupted, or ran in part, goes on. `python3 matrix.py DIR/runs-...` prints the table of what is done. PICKNEXT_BUGS_DIR is
DIR (default: build/bugs); PICKNEXT_BUGS_JOBS: how many bugs side by side (default: 2); PICKNEXT_BUGS_RULES: only the first
seed.

A blind row also boots the chaos workloads (corpus.CHAOS), so that what each of the two finds is known. One that neither finds boots
the same again, to ask whether its code is reached at all. Nothing but counts is printed of the blind-final rows.
"""
import fnmatch
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import corpus
import select_bug
from bench_support import BUILD, NotHere, PICKNEXT

BASE_SEEDS = 7
STAGES = (2, 3, 7)  # seeds after which it looks; the verdict is that of as many as vm has by default
RATE = 0.05
PICK = "pick_eevdf entity_before entity_eligible"  # the functions of the rule of a pick
# Messages of vm instead of runs. A failure without one of these texts is this machine's, and no verdict.
REFUSALS = {"kernel died": "the guest died", "kernel panicked": "the guest died", " dies: ": "the guest died", "the guest hangs": "the guest hangs",
            "did not boot within": "the guest does not boot", "the kernel refuses": "the kernel refuses a workload",
            "the kernel ignores": "the warning that a mix is not supported"}
NOT_NAMED = "none broken, 1 seed"
# The values of corpus.Row.group, with the share that is to be found.
GROUPS = {"tuning": ("bugs that were tuned with", 0.8), "held-out": ("bugs held out", 0.8), "nulls": ("null changes, false alarms", 0),
          "blind-tuning": ("blind rows to tune with", None), "blind-final": ("blind rows that nobody looked at", None)}


def chosen_rows(words, line):
    """WORDS: names with wildcards, separated by commas; groups of rows; `all`, those that are not blind. In the order
    of a hash, so that the rows that are done are a random sample. Wildcards do not choose rows of blind-final."""
    def matches(row, word):
        if word == "all":
            return not row.is_blind
        return word in (row.group, row.name) or (fnmatch.fnmatch(row.name, word) and row.group != "blind-final")

    chosen = []
    for word in words.split(","):
        found = [row for row in corpus.ROWS if row.edits.get(line) and matches(row, word)]
        if not found:
            raise NotHere(f"no bug of {line} is called {word}")
        chosen += sorted((row for row in found if row not in chosen), key=lambda row: hashlib.sha256(row.name.encode()).digest()[1:])
    return chosen


def default_workloads():
    listed = subprocess.run([PICKNEXT, "list", "--json"], capture_output=True, text=True, check=True).stdout
    return [each["name"] for each in json.loads(listed) if each["default_of_vm"]]


class Matrix:
    def __init__(self, image, directory, workloads):
        self.image, self.workloads = image, workloads
        binaries = b"".join(path.read_bytes() for path in (image, Path(PICKNEXT), BUILD / "initramfs-x86_64.cpio.gz"))
        identity = hashlib.sha256(binaries + ",".join(workloads).encode()).hexdigest()[:12]
        self.out = directory / f"runs-{image.name.removeprefix('vmlinux-')}-{identity}"
        self.results = self.out / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        self.base_turn = threading.Lock()

    def boot(self, name, last_seed, workloads, guest=(), is_probe=False):
        """Runs of seeds 1 to LAST_SEED in a set of these workloads, in a guest with these options; what is there is not
        repeated. A probe only reports in its console that the bug is reached. (directory, exit code, CPU seconds, messages)"""
        words = ",".join(workloads)
        out = self.out / "boots" / hashlib.sha256(" ".join([words, *guest]).encode()).hexdigest()[:8]
        bug, name = name, name + "-probe" * is_probe
        kernel = self.out / "images" / name
        select_bug.select(self.image, bug, kernel, is_probe)
        with subprocess.Popen(["nice", "-n", "5", PICKNEXT, "vm", "-q", "-k", f"{name}={kernel}", "-o", out, "--no-results", "-w", words, "--keys", *guest,
                               "--runs", str(last_seed), "-j", "1"], stderr=subprocess.PIPE, text=True) as child:
            messages = child.stderr.read().strip()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return out / name, child.returncode, usage.ru_utime + usage.ru_stime, messages

    def base(self, last_seed, workloads, guest=()):
        with self.base_turn:
            directory, code, _, messages = self.boot("base", last_seed, workloads, guest)
        if code:
            raise NotHere(f"base does not run: {messages}")
        return directory

    def base_breaks(self, last_seed, workloads, guest):
        """What check-rule names in these seeds of base; kept, so that it is judged once."""
        directory = self.base(last_seed, workloads, guest)
        with self.base_turn:
            file = self.results / "base.json"
            judged = json.loads(file.read_text()) if file.exists() else {}
            words = " ".join([*workloads, *guest] + [f"--runs {last_seed}"] * (last_seed > 1))
            if words not in judged:
                judged[words] = broken(directory)
                file.write_text(json.dumps(judged, indent=1) + "\n", encoding="utf-8")
        return judged[words]

    def is_named(self, other, last_seed, result, workloads, guest):
        """Whether the rules, or the kernel itself on its console, name what they do not name in base; then that is BY in RESULT."""
        by = sorted(set(broken(other)) - set(self.base_breaks(last_seed, workloads, guest)))
        if by:
            result.update(found=True, by=sorted({*result["by"], *by}), guest=list(guest))
        return bool(by)

    def compare(self, base, other):
        # A matrix that was interrupted leaves some runs of the next stage.
        done = subprocess.run([PICKNEXT, "compare", "--json", "--allow", "incomplete", base, other], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not done.stdout:
            raise NotHere(f"compare {other}: {done.stderr.strip()}")
        return json.loads(done.stdout)["rows"]

    def judge_rules(self, row):
        """One seed of the mixes of its needs. Of a blind row, also one of the chaos workloads, whatever the mixes found; and if
        neither finds it, whether its code is reached."""
        result = {"name": row.name, "held_out": row.is_held_out, "null": row.is_null, "found": False, "by": [], "cpu_s": 0, "parts": {}}
        result["parts"]["rules"] = self.judge_boots(row, corpus.first_boots(row), result)
        if row.is_blind:
            result["parts"]["chaos"] = self.judge_boots(row, [corpus.CHAOS], result)
        result["is_complete"] = result["found"]
        if row.is_blind and not result["found"]:
            result["parts"]["probe"] = "reached" if self.probe(row, result) else "not reached"
        return result

    def judge_boots(self, row, boots, result):
        """One seed of boot after boot, until a rule is broken or a guest dies. How it ended; sets found and by of RESULT."""
        for workloads, guest in boots:
            other = self.add_boot(row, 1, result, workloads, guest)
            if not other:
                return result["answer"]
            if self.is_named(other, 1, result, workloads, guest):
                return "found"
        return NOT_NAMED

    def probe(self, row, result):
        """Whether one of its boots reaches the code of the bug; starting the guest counts."""
        for workloads, guest in [*corpus.first_boots(row), corpus.CHAOS]:
            directory, code, cpu_s, messages = self.boot(row.name, 1, workloads, guest, is_probe=True)
            result["cpu_s"] += cpu_s
            if code:
                raise NotHere(f"{row.name}: exit code {code} of a probe: {messages}")
            if f"picknext: bug {select_bug.number_of(self.image, row.name)} reached" in (directory / "console/run1.log").read_text(errors="replace"):
                return True
        return False

    def add_seeds(self, row, result):
        """More seeds of the same workloads, then of each part, until a rule is broken or a metric is significant. A null change
        boots what vm does by default."""
        parts = {"default set": (self.workloads, ())} if row.is_null else {"of its needs": (corpus.first_workloads(row), ())} | {
            part: (corpus.PARTS[part][0], corpus.GUESTS.get(part, ())) for part in corpus.reached_parts(row)}
        for part, (workloads, guest) in parts.items():
            result["parts"][part] = self.measure_part(row, workloads, guest, result)
            if result["found"]:
                break
        result["is_complete"] = True
        return result

    def measure_part(self, row, workloads, guest, result):
        """How the part ended; sets found and by of RESULT."""
        for seeds in STAGES:
            other = self.add_boot(row, seeds, result, workloads, guest)
            if not other:
                return result["answer"]
            if self.is_named(other, seeds, result, workloads, guest):
                return f"found, {seeds} seeds"
            if seeds == STAGES[0]:
                if len(identical(self.base(seeds, workloads, guest), other, workloads, seeds)) == len(workloads):
                    return f"not reached, {seeds} seeds"
                continue
            rows = self.compare(self.base(BASE_SEEDS, workloads, guest), other)
            outside = separation(rows)
            if not outside and (seeds == STAGES[-1] or not row.is_null):
                return f"no metric outside of base's range, {seeds} seeds"
        result["by"] = significant(rows, len(self.workloads))
        result["found"] = bool(result["by"])
        closest = max(outside, key=outside.get)
        return f"{'found' if result['found'] else f'not significant, closest in {closest}'}, {seeds} seeds"

    def add_boot(self, row, last_seed, result, workloads, guest=()):
        """The directory of the runs; None, and what happened in RESULT, if the kernel failed, which base does not."""
        directory, code, cpu_s, messages = self.boot(row.name, last_seed, workloads, guest)
        result["cpu_s"] += cpu_s
        if code in (130, 143):
            raise KeyboardInterrupt
        if not code:
            return directory
        by = next((what for text, what in REFUSALS.items() if text in messages), None)
        if not by:
            raise NotHere(f"{row.name}: exit code {code}: {messages}")
        self.base(last_seed, workloads, guest)
        result.update(found=True, failed=code, by=sorted({*result["by"], by}), answer=messages[-300:])
        return None


def broken(directory):
    """What check-rule names: breaks of the rule, and invariants; and whether the kernel reported a fault, as compare says first."""
    done = subprocess.run([PICKNEXT, "check-rule", "--json", directory / "raw"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise NotHere(f"check-rule {directory}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    faults = [json.loads(record.read_text())["kernel_fault"] for record in (directory / "boots").glob("run*.json")]
    return ([each["break"] for each in found["breaks"]] + [each["invariant"] for each in found["invariants"] if each["broken"]]
            + ["the kernel's own report"] * any(faults))


def identical(base, other, workloads, seeds):
    """Workloads whose traces of the first seeds are those of base, byte for byte: the bug changed no decision there."""
    same = []
    for workload in workloads:
        pairs = [[directory / "raw" / f"{workload}_run{seed}.dat" for directory in (base, other)] for seed in range(1, seeds + 1)]
        same += [workload] * all(subprocess.run([PICKNEXT, "diff", *pair], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                check=False).returncode == 0 for pair in pairs)
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


def describe(result):
    """What found it: all names of rules, and the guest if it is not vm's default; or two metrics and how many more."""
    by = result["by"]
    if not by or isinstance(by[0], str):
        return ", ".join(by) + (f" (with {' '.join(result['guest'])})" if result.get("guest") else "")
    shown = [f"{metric} of {workload} {change:+.0f}{' %' if percent else ''}" for workload, metric, change, percent in by[:2]]
    return ", ".join(shown) + (f" and {len(by) - 2} more" if len(by) > 2 else "")


def rule_texts():
    """{name of an invariant: its lines in the help, which end with functions of the kernel}"""
    shown = subprocess.run([PICKNEXT, "help", "rules"], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^  (\w+) +(.*(?:\n {20,}.*)*)", shown, re.MULTILINE))


def names_function(row, result, line, texts):
    """Whether the first lines of vm's answer, which are the broken rules, name a function that the row's edits change: yes, no, or
    "a metric" if no rule is broken. None if it is not found."""
    if not result["by"]:
        return None
    if not isinstance(result["by"][0], str):
        return "a metric"
    functions = {edit.function for edit in row.edits.get(line, ()) if edit.function}
    return "yes" if any(function in texts.get(name, PICK).replace(",", " ").split() for name in result["by"] for function in functions) else "no"


def table(results, base=None, line=None):
    """RESULTS by name; BASE: what is named in each boot of base, if it was judged; LINE: of the kernel, None if it is not known."""
    texts = rule_texts()
    named = {row.name: names_function(row, results[row.name], line, texts) for row in corpus.ROWS if row.name in results and row.group != "blind-final"}
    lines = ["| bug | needs | found | by, or how it ended | names the function | CPU s |", "|---|---|---|---|---|---|"]
    for row in corpus.ROWS:
        result = results.get(row.name)
        if result and row.group != "blind-final":
            ends = "; ".join(f"{part}: {end}" for part, end in result["parts"].items())
            cpu_s = f"{result['cpu_s']:.0f}" if result["cpu_s"] else ""
            lines.append(f"| {row.name}{' (held out)' * row.is_held_out}{f' ({row.breaks})' * row.is_mutant} | {' '.join(row.needs)} | {'yes' if result['found'] else 'no'} | "
                         f"{describe(result) or ends} | {named[row.name] or ''} | {cpu_s} |")
    answers = list(named.values())
    lines += ["", f"first lines: {answers.count('yes')} name the function that was changed, {answers.count('no')} a rule of another one, "
                  f"{answers.count('a metric')} a metric"]
    return "\n".join(lines + ["", *counts(results), *base_line(base), *missing_rows(results, line)]) + "\n"


def base_line(base):
    if base:
        named = {name for names in base.values() for name in names}
        yield f"base, false alarms: something is named in {sum(map(bool, base.values()))} of {len(base)} boots{': ' * bool(named)}{', '.join(sorted(named))}"


def missing_rows(results, line):
    """Rows that the kernel has no code for, and those without a result."""
    if line:
        asked = {row.group if row.is_blind else "" for row in corpus.ROWS if row.name in results}
        rows = [row for row in corpus.ROWS if (row.group if row.is_blind else "") in asked]
        absent = [row.name for row in rows if line not in row.edits]
        unmeasured = [row.name for row in rows if line in row.edits and row.name not in results]
        yield f"not in {line}: {', '.join(absent)}"
        if unmeasured:
            yield f"not measured: {', '.join(unmeasured)}"


def is_reached(result):
    """Also if it is not known yet."""
    ends = [end for part, end in result["parts"].items() if part not in ("rules", "chaos")]
    return result["found"] or not ends or any(not end.startswith("not reached") for end in ends)


def counts(results):
    """A line for each group of rows; for blind ones, also for fixes and mutants apart, with intervals."""
    groups = {group: [results[row.name] for row in corpus.ROWS if row.group == group and row.name in results] for group in GROUPS}
    for group in ("tuning", "held-out", "nulls"):
        rows, reached = groups[group], list(filter(is_reached, groups[group]))
        if rows:
            yield (f"{GROUPS[group][0]}: {sum(row['found'] for row in rows)} of {len(rows)} found, and of {len(reached)} that change a decision; "
                   f"{sum(row['cpu_s'] for row in rows):.0f} s of CPU time")
    for group in ("blind-tuning", "blind-final"):
        mutants = [row for row in groups[group] if row["name"].startswith("mutant-")]
        fixes = [row for row in groups[group] if row not in mutants]
        for kind, rows in ("both", fixes + mutants), ("fixes", fixes), ("mutants", mutants):
            if rows:
                found, reached = sum(row["found"] for row in rows), sum(map(is_reached, rows))
                yield (f"{GROUPS[group][0]}, {kind}: {share(found, len(rows))} found, {share(found, reached)} of those that are reached; "
                       f"{sum(row['cpu_s'] for row in rows):.0f} s of CPU time")
        by = [[row["parts"].get(part, NOT_NAMED) != NOT_NAMED for part in ("rules", "chaos")] for row in groups[group]]
        if by:
            yield (f"{GROUPS[group][0]}, by the mixes alone: {by.count([True, False])}; by chaos alone: {by.count([False, True])}; "
                   f"by both: {by.count([True, True])}")


def share(found, of):
    low, high = interval(found, of)
    return f"{found} of {of} (95 % interval: {100 * low:.0f} to {100 * high:.0f} %)"


def interval(found, of):
    """The 95 % interval of a share, by Clopper and Pearson."""
    def bound(is_low):
        low, high = 0.0, 1.0
        for _ in range(50):
            share = (low + high) / 2
            counts = range(found, of + 1) if is_low else range(found + 1)
            tail = sum(math.comb(of, count) * share ** count * (1 - share) ** (of - count) for count in counts)
            low, high = (share, high) if (tail < 0.025) == is_low else (low, share)
        return low

    return bound(True) if found else 0.0, bound(False) if found < of else 1.0


def read_results(out):
    """By name; results of rows that are not in the corpus any more do not count."""
    files = {row.name: out / "results" / f"{row.name}.json" for row in corpus.ROWS}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def table_of(out):
    """The table of a directory runs-LINE-...; of another one without what depends on the line."""
    base = out / "results" / "base.json"
    line = next((line for line in corpus.LINES if out.name.startswith(f"runs-{line}-")), None)
    return table(read_results(out), json.loads(base.read_text()) if base.exists() else None, line)


def run_line(bench, line, words, directory):
    image = directory / f"vmlinux-{line}"
    if not image.exists():
        raise NotHere(f"no {image} (tests/bench/bugs/build_kernel.py {line} -o {directory})")
    matrix = Matrix(image, directory, default_workloads())
    failed = []

    def one(row, is_first):
        file = matrix.results / f"{row.name}.json"
        result = json.loads(file.read_text()) if file.exists() else None
        if (result and (is_first or result["is_complete"])) or (not result and not is_first):
            return
        try:
            result = matrix.judge_rules(row) if is_first else matrix.add_seeds(row, result)
        except NotHere as problem:
            failed.append(f"{row.name}: {problem}")
            return
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        shown = "done" if row.group == "blind-final" else f"found, {describe(result)}" if result["found"] else "not found"
        print(f"bench: bugs: {line} {row.name}: {shown}", file=sys.stderr, flush=True)

    passes = (True,) if os.environ.get("PICKNEXT_BUGS_RULES") else (True, False)
    with ThreadPoolExecutor(int(os.environ.get("PICKNEXT_BUGS_JOBS", "2"))) as pool:
        for is_first in passes:
            list(pool.map(one, chosen_rows(words, line), [is_first] * len(corpus.ROWS)))
    print(table_of(matrix.out))
    results = read_results(matrix.out)
    for group, (what, goal) in GROUPS.items():
        rows = [results[row.name] for row in corpus.ROWS if row.group == group and row.name in results]
        if rows:
            found = sum(row["found"] for row in rows)
            entry = bench.add(f"{what}, {line}", f"{found} of {len(rows)} found", "", found=found, of=len(rows))
            if goal is not None:
                bench.goal(entry, f"≥ {goal:.0%}" if goal else "none", found >= goal * len(rows) if goal else found == 0)
    if failed:
        raise NotHere("; ".join(failed))


def run(bench):
    """scheduler bugs against the kernel without them"""
    if bench.quick:
        raise NotHere("--quick boots nothing")
    directory = Path(os.environ.get("PICKNEXT_BUGS_DIR", BUILD / "bugs"))
    options = bench.bugs
    for line in options.bug_lines.split(","):
        bench.attempt(lambda bench, line: run_line(bench, line, options.bugs, directory), line)


if __name__ == "__main__":
    print(table_of(Path(sys.argv[1]).resolve()))
