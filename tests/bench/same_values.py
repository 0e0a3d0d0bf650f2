#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_values.py OLD NEW TRACE...: whether two builds of picknext say the same of traces, by value.

Compares the JSON of each analysis command and of a comparison of the trace with its copy, and the rows of export --format
csv. Rows with a name or a PID are matched by it, other lists by their order. Prints a line for each place that differs,
with the first trace that shows it; exit code 1 if a value differs. NAME.gz is unpacked first."""

import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

COMMANDS = (
    "stat --top 0",
    "stat --by cpu",
    "latency --top 0",
    "affinity --top 0",
    "inversions --top 0 --threshold 0",
    "idle-waiting --top 0",
    "migrations",
    "migrations --list",
    "timeline",
    "check",
    "check-rule",
    "compare --as same --allow lossy --allow incomplete COPY",
    "export --format csv -o -",
)


def result(program, command, trace, copy):
    words = [copy if word == "COPY" else word for word in command.split()]
    form = [] if "csv" in words else ["--json"]
    done = subprocess.run([program, *words, *form, trace], capture_output=True, check=False)
    if not form:
        return done.returncode, list(csv.DictReader(io.StringIO(done.stdout.decode(errors="replace"))))
    try:
        return done.returncode, [json.loads(done.stdout)]
    except ValueError:
        pass
    try:
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    except ValueError:  # it ended with an error amid its output
        return done.returncode, done.stdout.decode(errors="replace")


def name_of(row):
    """None: rows of this list are matched by their order."""
    if not isinstance(row, dict):
        return None
    if "metric" in row:
        return row.get("workload"), row["metric"]
    for key in ("invariant", "name", "cause"):
        if isinstance(row.get(key), str):
            return row[key]
    return (row.get("comm"), row["pid"]) if "pid" in row else None


def differences(old, new, place):
    """Yields (kind, place, old, new)."""
    if isinstance(old, list) and isinstance(new, list):
        names = [name_of(row) for row in old], [name_of(row) for row in new]
        if all(None not in of and len(set(of)) == len(of) for of in names):
            rows = [dict(zip(of, rows)) for of, rows in zip(names, (old, new))]
            yield from differences(*rows, place + "[]")
            return
        if len(old) != len(new):
            yield "length", place, len(old), len(new)
        for one, other in zip(old, new):
            yield from differences(one, other, place + "[]")
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            at = f"{place}.{key}" if isinstance(key, str) else place
            if key not in new:
                yield "gone", at, old[key], None
            elif key not in old:
                yield "added", at, None, new[key]
            else:
                yield from differences(old[key], new[key], at)
    elif old != new:
        yield "value", place, old, new


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    old, new, *traces = sys.argv[1:]
    found, calls = {}, 0
    with tempfile.TemporaryDirectory() as directory:
        for trace in traces:
            path = trace
            if trace.endswith(".gz"):
                path = os.path.join(directory, os.path.basename(trace)[:-3])
                with gzip.open(trace) as packed, open(path, "wb") as out:
                    out.write(packed.read())
            copy = os.path.join(directory, "copy-" + os.path.basename(path))
            shutil.copy(path, copy)
            for command in COMMANDS:
                calls += 1
                before, after = (result(program, command, path, copy) for program in (old, new))
                if before[0] != after[0]:
                    found.setdefault(("exit code", command), []).append((trace, before[0], after[0]))
                for kind, place, one, other in differences(before[1], after[1], command.split()[0]):
                    found.setdefault((kind, place), []).append((trace, one, other))
    for (kind, place), where in sorted(found.items()):
        trace, one, other = where[0]
        print(f"{kind:9} {place} {len(where)} x, such as {trace}: {str(one)[:60]} | {str(other)[:60]}")
    print(f"{len(traces)} traces, {calls} calls of each, {len(found)} places differ")
    sys.exit(any(kind not in ("added", "gone") for kind, _ in found))


main()
