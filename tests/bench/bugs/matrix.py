# SPDX-License-Identifier: MIT
"""Which bugs of corpus.py the comparison of `picknext vm` finds: each against the same runs of the kernel without one.

A bug takes minutes of CPU time. Each result is a file in DIR/results-.../NAME.json, and one that is there is not measured
again: a matrix that was interrupted, or ran in part, goes on. PICKNEXT_BUGS_DIR is DIR (default: build/bugs).
"""
import fnmatch
import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import corpus
import select_bug
from bench_support import BUILD, NotHere, PICKNEXT

SIGNIFICANT = ("better", "worse", "different")


def chosen_rows(words, line):
    """WORDS: names with wildcards, separated by commas; `tuning`, `held-out` and `nulls` are groups of rows."""
    groups = {"tuning": lambda row: not row.is_null and not row.is_held_out, "held-out": lambda row: row.is_held_out,
              "nulls": lambda row: row.is_null}
    chosen = []
    for word in words.split(","):
        matches = groups.get(word, lambda row, word=word: fnmatch.fnmatch(row.name, word))
        found = [row for row in corpus.ROWS if row.edits.get(line) and matches(row) and row not in chosen]
        if not found:
            raise NotHere(f"no bug of {line} is called {word}")
        chosen += found
    return chosen


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_set(image, name, out, vm_options):
    """Boots one kernel into OUT/NAME; runs that are there are not repeated. Returns (exit code, CPU seconds, messages)."""
    copy = out / "images" / name
    select_bug.select(image, name, copy)
    before = cpu_seconds()
    done = subprocess.run(["nice", "-n", "10", PICKNEXT, "vm", "-q", "-k", f"{name}={copy}", "-o", out, "--no-results", *vm_options],
                          capture_output=True, text=True, check=False)
    copy.unlink()
    return done.returncode, cpu_seconds() - before, done.stderr.strip()


def compare(out, name, *options):
    done = subprocess.run([PICKNEXT, "compare", out / "base", out / name, *options], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise NotHere(f"compare {name}: {done.stderr.strip()}")
    return done.stdout


def judge(row, out, code, messages):
    """What the comparison says of a set that is complete, or that a guest died."""
    result = {"name": row.name, "held_out": row.is_held_out, "null": row.is_null, "found": False, "by": [], "doubtful": 0, "answer": ""}
    if code:
        result.update(found=code == 6, by=["the guest died"] if code == 6 else [], answer=messages.splitlines()[-1] if messages else "")
        result["failed"] = code  # 6: the guest; others are failures of the measurement
        return result
    document = json.loads(compare(out, row.name, "--json"))
    for metric in document["rows"]:
        for each in metric["sets"]:
            if each.get("verdict") not in SIGNIFICANT:
                continue
            if each.get("significant"):
                result["by"].append([metric["workload"], metric["metric"], each["change"], each["is_percent"]])
            else:
                result["doubtful"] += 1
    result["by"].sort(key=lambda found: -abs(found[2]))
    result["found"] = bool(result["by"])
    result["seeds"] = max(metric["sets"][1]["runs"] for metric in document["rows"])
    result["answer"] = next((line for line in compare(out, row.name).splitlines() if " differ" in line), "")
    result["identical"] = same_traces(out / "base", out / row.name)
    return result


def same_traces(base, other):
    """Traces of two sets that do not differ in a byte of their events, by their workload: the bug changed no decision."""
    same = total = 0
    for trace in sorted((base / "raw").glob("*_run1.dat")):
        twin = other / "raw" / trace.name
        if twin.exists():
            total += 1
            done = subprocess.run([PICKNEXT, "diff", trace, twin], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            same += done.returncode == 0
    return [same, total]


def describe(by):
    shown = [f"{metric} of {workload} {change:+.0f}{' %' if percent else ''}" for workload, metric, change, percent in by[:2]
             ] if by and not isinstance(by[0], str) else by
    return ", ".join(shown) + (f" and {len(by) - 2} more" if len(by) > 2 else "")


def table(results, line):
    lines = [f"| bug of {line} | needs | found | by | seeds | CPU s | doubtful | traces that are the same |", "|---|---|---|---|---|---|---|---|"]
    for row in corpus.ROWS:
        result = results.get(row.name)
        if result:
            same, total = result.get("identical", (0, 0))
            lines.append(f"| {row.name}{' (held out)' if row.is_held_out else ''} | {' '.join(row.needs)} | {'yes' if result['found'] else 'no'} | "
                         f"{describe(result['by'])} | {result.get('seeds', '')} | {result['cpu_s']:.0f} | {result['doubtful']} | {same} of {total} |")
    return "\n".join(lines) + "\n"


def run_line(bench, line, words, directory, vm_options):
    image = directory / f"vmlinux-{line}"
    if not image.exists():
        raise NotHere(f"no {image} (tests/bench/bugs/build_kernel.py {line} -o {directory})")
    identity = hashlib.sha256(image.read_bytes() + Path(PICKNEXT).read_bytes() + repr(vm_options).encode()).hexdigest()[:12]
    out = directory / f"runs-{line}-{identity}"
    kept = out / "results"
    kept.mkdir(parents=True, exist_ok=True)
    code, base_cpu_s, messages = run_set(image, "base", out, vm_options)
    if code:
        raise NotHere(f"{line}: base does not run: {messages}")
    if not (kept / "base.cpu").exists():
        (kept / "base.cpu").write_text(f"{base_cpu_s:.1f}\n", encoding="utf-8")
    for row in chosen_rows(words, line):
        file = kept / f"{row.name}.json"
        if file.exists():
            continue
        code, cpu_s, messages = run_set(image, row.name, out, vm_options)
        if code in (130, 143):
            raise KeyboardInterrupt
        result = judge(row, out, code, messages)
        result["cpu_s"] = cpu_s
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(f"bench: bugs: {line} {row.name}: {'found' if result['found'] else 'not found'}, {describe(result['by'])}", file=sys.stderr, flush=True)
    results = {result["name"]: result for result in (json.loads(file.read_text()) for file in sorted(kept.glob("*.json")))}
    (kept / "RESULTS.md").write_text(table(results, line), encoding="utf-8")
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
    vm_options = ["-j", "2"] + (["-w", options.workloads] if options.workloads else [])
    for line in options.bug_lines.split(","):
        bench.attempt(lambda bench, line: run_line(bench, line, options.bugs, directory, vm_options), line)
