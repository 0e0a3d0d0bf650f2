#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The predictors of picknext predict, said once more in slow Python with exact fractions.

reference_predict.py compare DIR RESULTS   RESULTS is what picknext predict --csv printed for the dataset in DIR
reference_predict.py make DIR SEED         a small random dataset of switches
"""
import csv
import math
import random
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

csv.field_size_limit(1 << 30)


class Contexts:
    """counts[context][symbol]; a context is a tuple, the latest symbol first."""

    def __init__(self, order=3):
        self.order = order
        self.counts = defaultdict(Counter)

    def add(self, history, symbol):
        for length in range(min(len(history), self.order) + 1):
            self.counts[tuple(history[:length])][symbol] += 1

    def path(self, history, order):
        found = []
        for length in range(min(len(history), order) + 1):
            context = tuple(history[:length])
            if context not in self.counts:
                break
            found.append(self.counts[context])
        return found

    def key(self, path, symbol, number):
        return tuple(-counts[symbol] for counts in reversed(path)) + (number[symbol],)

    def markov(self, history, order, alphabet, number):
        path = self.path(history, order)

        def probability(symbol):
            result = Fraction(1, alphabet)
            for counts in path:
                result = (counts[symbol] + result) / (sum(counts.values()) + 1)
            return result

        ranked = sorted(path[0], key=lambda symbol: self.key(path, symbol, number))
        return ranked, probability

    def ppm(self, history, alphabet, number):
        path = self.path(history, self.order)
        probabilities, levels, escape, excluded = {}, {}, Fraction(1), set()
        for level in reversed(range(len(path))):
            counts = path[level]
            rest = {symbol: count for symbol, count in counts.items() if symbol not in excluded}
            divisor = sum(rest.values()) + len(counts)
            for symbol, count in rest.items():
                probabilities[symbol] = escape * Fraction(count, divisor)
                levels[symbol] = level
            escape *= Fraction(len(counts), divisor)
            excluded |= set(counts)
        unseen = escape / (alphabet - len(excluded)) if alphabet > len(excluded) else Fraction(0)
        ranked = sorted(probabilities, key=lambda symbol: (-probabilities[symbol], -levels[symbol])
                        + self.key(path[:levels[symbol] + 1], symbol, number))
        return ranked, lambda symbol: probabilities.get(symbol, unseen)


def read(directory, part):
    with open(directory / f"{part}.csv", encoding="latin-1", newline="") as file:
        return list(csv.DictReader(file))


class Kind:
    """One sequence of targets: names or roles."""

    def __init__(self, next_column, prev_column, numbers):
        self.next_column, self.prev_column = next_column, prev_column
        self.number = numbers
        self.machine, self.cpu, self.seen = Contexts(), Contexts(), Counter()
        self.successor = {}
        self.trace = None

    def places(self, row):
        if self.trace != row["trace_id"]:
            self.trace, self.history, self.histories = row["trace_id"], [], defaultdict(list)
        cpu = self.histories[row["cpu"]]
        place = (list(self.history), list(cpu), self.successor.get(row[self.prev_column]))
        following = row[self.next_column]
        self.history.insert(0, following)
        cpu.insert(0, following)
        self.successor[row[self.prev_column]] = following
        return place

    def learn(self, row):
        machine, cpu, _ = self.places(row)
        following = row[self.next_column]
        self.machine.add(machine[:3], following)
        self.cpu.add(cpu[:3], following)
        self.seen[following] += 1

    def answers(self, place):
        alphabet = len(self.seen) + 1
        machine, cpu, successor = place
        frequent, share = self.machine.markov([], 0, alphabet, self.number)
        yield "constant", frequent[:1], None
        yield "majority", frequent, share
        yield "last_successor", [successor] if successor is not None else [], None
        for suffix, contexts, history in (("", self.machine, machine), ("_cpu", self.cpu, cpu)):
            for order in (1, 2, 3):
                yield f"markov{order}{suffix}", *contexts.markov(history[:3], order, alphabet, self.number)
            yield f"ppm_c{suffix}", *contexts.ppm(history[:3], alphabet, self.number)


class Score:
    def __init__(self):
        self.rows = self.right = self.five = self.loss = self.sure = self.unseen = 0
        self.bins = defaultdict(lambda: [0, 0])

    def add(self, right, five, best, target, unseen):
        self.rows += 1
        self.right += right
        self.five += five
        self.unseen += unseen
        if best is not None:
            self.sure += 1
            self.loss -= math.log(max(float(target), 1e-12))
            at = self.bins[min(9, int(float(best) * 10 + 1e-9))]
            at[0] += float(best)
            at[1] += right

    def values(self):
        loss = self.loss / self.sure if self.sure else None
        calibration = sum(abs(a - b) for a, b in self.bins.values()) / self.sure if self.sure else None
        return {"rows": self.rows, "top1": self.right / self.rows, "top5": self.five / self.rows, "log_loss": loss,
                "calibration_error": calibration, "unseen": self.unseen / self.rows}


def numbers_of(directory, columns):
    """The order in which the texts appear in train.csv."""
    numbers = {}
    for part in ("train", "test_seen", "test_unseen"):
        for row in read(directory, part):
            for column in columns:
                texts = row[column].split(" ") if column == "candidate_roles" else [row[column]]
                for text in texts:
                    numbers.setdefault(text, len(numbers))
    return numbers


def unknown(value):
    return 0 if value == "-" else int(value)


def policies(row):
    roles = row["candidate_roles"].split(" ")
    runtime = [unknown(v) for v in row["candidate_runtime_ns"].split(" ")]
    slices = [unknown(v) for v in row["candidate_slice_ns"].split(" ")]
    prios = [int(v) for v in row["candidate_prios"].split(" ")]
    places = range(len(roles))
    weight = [1.25 ** (120 - prio) for prio in prios]
    virtual = [runtime[i] / weight[i] for i in places]
    base = float(row["base_slice_ns"] or 3000000)
    fair = [i for i in places if prios[i] >= 100]
    mean = sum(weight[i] * virtual[i] for i in fair) / sum(weight[i] for i in fair) if fair else 0

    def eevdf(i):
        eligible = virtual[i] <= mean * (1 + 1e-12)
        return (0, prios[i]) if prios[i] < 100 else (1 if eligible else 2, virtual[i] + (base - slices[i] % base) / weight[i])

    yield "longest_waiting", list(places)
    yield "least_runtime", sorted(places, key=lambda i: runtime[i])
    yield "highest_priority", sorted(places, key=lambda i: prios[i])
    yield "cfs_rule", sorted(places, key=lambda i: (0, prios[i]) if prios[i] < 100 else (1, virtual[i]))
    yield "eevdf_rule", sorted(places, key=eevdf)


def decide(kind, place, row, constant):
    """(predictor, right, right in five, probability of the best, of the target)"""
    roles = row["candidate_roles"].split(" ")
    chosen = int(row["chosen"]) if row["chosen"] else None
    for name, ranked, probability in kind.answers(place):
        if name == "constant":
            order = [constant]
        elif name == "last_successor":
            first = roles.index(ranked[0]) if ranked and ranked[0] in roles else 0
            order = [first] + [i for i in range(len(roles)) if i != first]
        else:
            chance = [probability(role) for role in roles]
            order = sorted(range(len(roles)), key=lambda i: -chance[i])
            total = sum(chance)
            best = chance[order[0]] / total if total else 0
            target = chance[chosen] / total if total and chosen is not None else 0
            yield name, order[0] == chosen, chosen in order[:5], best, target
            continue
        yield name, order[0] == chosen, chosen in order[:5], None, None
    count = int(row["candidates"])
    yield "uniform", 1 / count, min(5, count) / count, 1 / count, 1 / count
    for name, order in policies(row):
        yield name, order[0] == chosen, chosen in order[:5], None, None


def expected(directory):
    rows = read(directory, "train")
    is_decisions = "chosen" in rows[0]
    kinds = {"next_name": Kind("next_name", "prev_name", None)} if is_decisions else \
            {"next_name": Kind("task_name", "prev_comm", None)}
    if is_decisions:
        kinds["next_role"] = Kind("next_role", "prev_role", None)
        kinds["next_name"].number = numbers_of(directory, ["next_name", "prev_name"])
        kinds["next_role"].number = numbers_of(directory, ["next_role", "prev_role", "candidate_roles"])
    else:
        kinds["next_name"].number = numbers_of(directory, ["task_name", "prev_comm"])
    chosen = Counter()
    for row in rows:
        for kind in kinds.values():
            kind.learn(row)
        if is_decisions and row["chosen"]:
            chosen[int(row["chosen"])] += 1
    constant = min(chosen, key=lambda i: (-chosen[i], i), default=0)
    scores = defaultdict(Score)

    def add(part, target, row, name, right, five, best, of_target, unseen):
        subsets = ["any"] + (["choice"] if is_decisions and int(row["candidates"]) > 1 else [])
        for subset in subsets:
            for workload in ("all", row["workload_type"]):
                scores[part, workload, target, subset, name].add(right, five, best, of_target, unseen)

    for part in ("test_seen", "test_unseen"):
        for row in read(directory, part):
            for target, kind in kinds.items():
                place = kind.places(row)
                following = row[kind.next_column]
                unseen = following not in kind.seen
                for name, ranked, probability in kind.answers(place):
                    add(part, target, row, name, ranked[:1] == [following], following in ranked[:5],
                        None if probability is None else probability(ranked[0]),
                        None if probability is None else probability(following), unseen)
                if target == "next_role":
                    for name, right, five, best, of_target in decide(kind, place, row, constant):
                        add(part, "decision", row, name, right, five, best, of_target, unseen)
    return {key: score.values() for key, score in scores.items()}


def between(directory):
    """What is learnt of one scheduler, used for the rows of another with a choice, of workloads in train.csv."""
    rows = read(directory, "train")
    number = numbers_of(directory, ["next_role", "prev_role", "candidate_roles"])
    learners = {row["scheduler"]: (Kind("next_role", "prev_role", number), Counter()) for row in rows if row["scheduler"]}
    for row in rows:
        if row["scheduler"]:
            kind, chosen = learners[row["scheduler"]]
            kind.learn(row)
            chosen.update([int(row["chosen"])] if row["chosen"] else [])
    workloads = {row["workload_type"] for row in rows}
    scores = defaultdict(Score)
    for row in read(directory, "test_seen") + read(directory, "test_unseen"):
        if not row["scheduler"] or row["workload_type"] not in workloads:
            continue
        for learnt, (kind, chosen) in learners.items():
            place = kind.places(row)
            constant = min(chosen, key=lambda i: (-chosen[i], i), default=0)
            if int(row["candidates"]) < 2:
                continue
            for name, right, five, best, of_target in decide(kind, place, row, constant):
                for workload in ("all", row["workload_type"]):
                    scores[workload, learnt, row["scheduler"], name].add(right, five, best, of_target, row["next_role"] not in kind.seen)
    return {key: score.values() for key, score in scores.items()}


def mean_of(parts):
    mean = {name: None if parts[0][name] is None else sum(part[name] for part in parts) / len(parts) for name in parts[0]}
    mean["rows"] = sum(part["rows"] for part in parts)
    return mean


def compare_between(directory, rows):
    wanted = between(directory)
    actual = {(row["workload"], row["learnt_on"], row["scheduler"], row["predictor"]): row for row in rows}
    totals = {key for key in wanted if key[0] == "all"}
    if set(actual) != totals | {("macro",) + key[1:] for key in totals}:
        sys.exit(f"other rows between schedulers: {sorted(actual)[:5]}")
    for key in totals:
        check(key, wanted[key], actual[key])
        parts = [values for other, values in wanted.items() if other[0] != "all" and other[1:] == key[1:]]
        check(("macro",) + key[1:], mean_of(parts), actual[("macro",) + key[1:]])


def compare(directory, results):
    wanted = expected(Path(directory))
    with open(results, newline="") as file:
        rows = list(csv.DictReader(file))
    schedulers = {row["scheduler"] for part in ("train", "test_seen", "test_unseen") for row in read(Path(directory), part)
                  if row.get("scheduler")}
    pairs = [row for row in rows if row["part"] == "tests"]
    if len(schedulers) > 1:
        compare_between(Path(directory), pairs)
    elif pairs:
        sys.exit("rows between schedulers, but there is one scheduler")
    actual = {(row["part"], row["workload"], row["target"], row["of"], row["predictor"]): row for row in rows if row["part"] != "tests"}
    macro = {key: row for key, row in actual.items() if key[1] == "macro"}
    plain = {key: row for key, row in actual.items() if key[1] != "macro"}
    if set(wanted) != set(plain):
        sys.exit(f"other rows: {sorted(set(wanted) ^ set(plain))[:5]}")
    for key, values in wanted.items():
        check(key, values, plain[key])
    for key, row in macro.items():
        parts = [value for other, value in wanted.items() if other[1] not in ("all", "macro") and other[:1] + other[2:] == key[:1] + key[2:]]
        check(key, mean_of(parts), row)
    print(f"{len(actual)} results agree")


def check(key, values, row):
    for name, value in values.items():
        shown = row[name]
        limit = 0 if name == "rows" else 1.1e-3 if name == "log_loss" else 1.1e-4
        if (value is None) != (shown == "") or (value is not None and abs(float(shown) - value) > limit):
            sys.exit(f"{key}: {name} is {shown!r}, should be {value}")


def make(directory, seed):
    """Of even seeds, workloads come in turns, and the tests begin in the trace in which train.csv ends."""
    rng = random.Random(seed)
    mixed, first = seed % 2 == 0, 0
    columns = "timestamp time_diff task_name pid cpu prev_state prev_comm workload_type trace_id".split()
    names = ["a", "b", "c d", "e,f", 'g"h', "i", "j", "k"]
    for part, rows, extra in (("train", 400, 0), ("test_seen", 120, 1), ("test_unseen", 60, 3)):
        with open(directory / f"{part}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            last = defaultdict(lambda: rng.choice(names))
            for i in range(rows):
                cpu = rng.randrange(3)
                prev = last[cpu]
                known = names + [f"new{n}" for n in range(extra)]
                following = known[(known.index(prev) + 1) % len(known)] if rng.random() < 0.5 else rng.choice(known)
                last[cpu] = following
                workload, trace = (f"w{rng.randrange(3)}", f"t{(first + i) // 50}") if mixed else (f"w{i // 100}", f"t{part}{i // 50}")
                pid = known.index(following) + (0 if part == "train" else 500)
                writer.writerow([f"{i}.0", "0.1", following, pid, cpu, "S", prev, workload, trace])
        first += rows - 20


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        compare(sys.argv[2], sys.argv[3])
