#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the candidates of each decision with the whole tree of the queue, which the kernel had at that pick.

Usage: rules_truth.py PICKNEXT TRACE LOG     LOG has what rules_truth.sh printed; exit code 1 if a decision differs

A level is compared if the tree has at most 15 nodes, of which no path is longer than recorded. The waiting candidates of
`picknext why` must be the tree's nodes: as many, of the same weights, and with the same differences of vruntimes and
deadlines. The running entity is not in the tree."""
import collections
import json
import re
import subprocess
import sys

NODES = 15


def signed(value):
    value %= 1 << 64
    return value - (1 << 64) if value >> 63 else value


def read_fields(text):
    return {name: int(value, 0) for name, value in re.findall(r"(\w+)=(-?\w+)", text)}


def read_truth(path):
    """Names of the fields that keys_pick has too; their values: [(ns, [(vruntime, deadline, weight)])]"""
    trees, same = collections.defaultdict(list), None
    for line in open(path, errors="replace"):
        found = re.match(r"truth (\d+)\.(\d+) (.*)", line)
        if found:
            fields = read_fields(found[3])
            nodes = [tuple(fields[f"{name}{i}"] for name in "vdw") for i in range(NODES) if fields[f"n{i}"]]
            same = same or [name for name in fields if not re.fullmatch(r"[nvdw]\d+", name)]
            trees[tuple(fields[name] for name in same)].append((int(found[1]) * 10**9 + int(found[2].ljust(9, "0")), nodes))
    return same, trees


def read_picks(path):
    """CPU of the queue: [(ns, fields)] of each keys_pick."""
    picks = collections.defaultdict(list)
    text = subprocess.run(["trace-cmd", "report", "-t", path], check=True, capture_output=True).stdout.decode("utf-8", "replace")
    for found in re.finditer(r" (\d+)\.(\d{9}): keys_pick: (.*)", text):
        fields = read_fields(found[3])
        picks[fields["cpu"]].append((int(found[1]) * 10**9 + int(found[2]), fields))
    return picks


def candidates_differ(nodes, rows, has_deadline):
    """Relative to the first of each in the order of the keys."""
    mine = sorted((w >> 10, v, d) for v, d, w in nodes)
    theirs = sorted((row["weight"], -int(row["lag_virtual_ns"]), int(row["deadline_ns"] or 0)) for row in rows)
    if len(mine) != len(theirs):
        return f"{len(mine)} nodes, {len(theirs)} candidates"
    base = min((signed(v) for _, v, _ in mine), default=0)
    low = min((v for _, v, _ in theirs), default=0)
    mine = sorted((w, signed(v - base), signed(d - base) if has_deadline else 0) for w, v, d in mine)
    theirs = sorted((w, v - low, d - low if has_deadline else 0) for w, v, d in theirs)
    for a, b in zip(mine, theirs):
        if a[0] != b[0] or abs(a[1] - b[1]) > 1 or abs(a[2] - b[2]) > 1:
            return f"the tree has {a}, why {b}"
    return None


def main():
    picknext, trace, log = sys.argv[1:]
    (same, trees), picks = read_truth(log), read_picks(trace)
    times = sorted(ns for of in trees.values() for ns, _ in of)
    text = subprocess.run([picknext, "why", "--json", "--decision", "1", "--max", "1000000000", trace], check=True, capture_output=True)
    result = json.loads(text.stdout)
    first = result["trace"]["first_ts_ns"]
    rows = collections.defaultdict(list)
    for row in result["candidates"]:
        rows[row["decision"]].append(row)
    counts, wrong = collections.Counter(), []
    for decision in result["decisions"]:
        of = rows[decision["decision"]]
        if decision["verdict"] == "not judged" or not of or max(row["level"] for row in of) > 0:
            continue
        # The time of a decision is that of its switch, or of its last pick.
        at = first + decision["since_start_ns"]
        if not times[0] <= at <= times[-1]:
            continue
        counts["judged"] += 1
        before = [(ns, fields) for ns, fields in picks[decision["cpu"]] if ns <= at]
        if not before:
            continue
        ns, fields = before[-1]
        runs = fields["curr"] and fields["curr_on_rq"]
        # It is read before the pick; of trees with the same sums the next one may be nearer.
        near = min(trees[tuple(fields[name] for name in same)], key=lambda tree: (tree[0] > ns, abs(tree[0] - ns)), default=(0, []))
        if abs(near[0] - ns) > 2000000 or len(near[1]) != fields["nr"] - bool(runs):
            counts["without a whole tree"] += 1
            continue
        counts["compared"] += 1
        counts["candidates"] += len(near[1])
        # Which of the candidates runs is none of the tree's: it is the one without which they agree.
        choices = [of[:i] + of[i + 1:] for i in range(len(of))] if runs else [of]
        problems = [candidates_differ(near[1], rows_left, of[0]["deadline_ns"] is not None) for rows_left in choices]
        problem = None if None in problems else problems[-1]
        if problem:
            wrong.append(f"decision {decision['decision']}: {problem}")
    print(f"{trace}: {dict(counts)}, {len(wrong)} differ")
    print("\n".join(wrong[:10]))
    sys.exit(1 if wrong or counts["compared"] < 0.9 * counts["judged"] or counts["compared"] < 100 else 0)


if __name__ == "__main__":
    main()
