#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reference_baselines.py DIR RESULTS: some predictors of workloads/models/baselines.py by their definitions, with exact
fractions and without any index, for the rows of decisions in DIR; RESULTS is what baselines.py --csv printed."""
import csv
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from math import log
from pathlib import Path


def read(directory, part):
    with open(directory / f"{part}.csv", encoding="latin-1", newline="") as file:
        return [dict(row, part=part) for row in csv.DictReader(file)]


def with_histories(rows):
    """Each row with the roles before it in its trace, the latest first: of the machine, and of its CPU."""
    for at, row in enumerate(rows):
        before = [other for other in rows[max(0, at - 2000):at][::-1] if other["trace_id"] == row["trace_id"]]
        row["machine"] = tuple(other["next_role"] for other in before)[:3]
        row["lane"] = tuple(other["next_role"] for other in before if other["cpu"] == row["cpu"])[:3]
    return rows


def probability(train, history, context, role, alphabet):
    following = [row["next_role"] for row in train if row[history][:len(context)] == context]
    shorter = probability(train, history, context[:-1], role, alphabet) if context else Fraction(1, alphabet)
    return (following.count(role) + shorter) / (len(following) + 1) if following else shorter


def markov(train, row, history, order, roles):
    chances = {role: probability(train, history, row[history][:order], role, len(roles) + 1) for role in roles}
    best = max(chances, key=chances.get)  # of equal ones the first in train.csv
    unseen = probability(train, history, row[history][:order], None, len(roles) + 1)
    return best == row["next_role"], -log(chances.get(row["next_role"], unseen))


def expected(directory):
    train, *tests = (with_histories(read(directory, part)) for part in ("train", "test_seen", "test_unseen"))
    texts = [text for row in train for text in (row["next_role"], row["prev_role"], *row["candidate_roles"].split(" "))]
    counts = Counter(row["next_role"] for row in train)
    roles = [role for role in dict.fromkeys(texts) if counts[role]]
    successor, found = {row["prev_role"]: row["next_role"] for row in train}, defaultdict(list)
    for row in (row for part in tests for row in part):
        runtimes = [0 if text == "-" else int(text) for text in row["candidate_runtime_ns"].split(" ")]
        answers = {("next_role", "constant"): (max(roles, key=counts.get) == row["next_role"], None),
                   ("next_role", "last_successor"): (successor.get(row["prev_role"]) == row["next_role"], None),
                   ("decision", "uniform"): (Fraction(1, int(row["candidates"])), log(int(row["candidates"]))),
                   ("decision", "longest_waiting"): (row["chosen"] == "0", None),
                   ("decision", "least_runtime"): (row["chosen"] == str(runtimes.index(min(runtimes))), None),
                   ("next_role", "markov1"): markov(train, row, "machine", 1, roles),
                   ("next_role", "markov3_cpu"): markov(train, row, "lane", 3, roles)}
        successor[row["prev_role"]] = row["next_role"]
        for key, answer in answers.items():
            for of in ("any", "choice") if int(row["candidates"]) > 1 else ("any",):
                for workload in ("all", row["workload_type"]):
                    found[(row["part"], workload, key[0], of, key[1])].append(answer)
    mean = {key: [sum(map(float, each)) / len(each) if None not in each else None for each in zip(*answers)]
            for key, answers in found.items()}
    for part, _, target, of, predictor in [key for key in mean if key[1] == "all"]:
        each = [values for key, values in mean.items() if key[1] not in ("all", "macro") and key[:1] + key[2:] == (part, target, of, predictor)]
        mean[part, "macro", target, of, predictor] = [sum(v) / len(v) if None not in v else None for v in zip(*each)]
    return mean


wanted = expected(Path(sys.argv[1]))
with open(sys.argv[2], newline="") as results:
    lines = {tuple(row[name] for name in ("part", "workload", "target", "of", "predictor")): row for row in csv.DictReader(results)}
for key, values in wanted.items():
    for name, value in zip(("top1", "log_loss"), values):
        shown = lines[key][name]
        if (value is None) != (shown == "") or (value is not None and abs(float(shown) - value) > 1e-4):
            sys.exit(f"{key}: {name} is {shown!r}, should be {value}")
print(f"{len(wanted)} results agree")
