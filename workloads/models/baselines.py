#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Baselines for models: simple predictors of the next task, measured on a dataset of picknext build.

The predictors learn train.csv and predict test_seen.csv and test_unseen.csv. Targets: next_name; with rows of
decisions (picknext build --task pick) also next_role, and decision: which of the waiting tasks was chosen.

constant         the most frequent target of train.csv (decision: the most frequent place in the list)
majority         the same, with the frequencies as probabilities
last_successor   the task that followed the previous task last time; it continues to learn in the tests
markov1..3       the last one to three targets of the machine, with back-off to shorter contexts:
                 P_k(s) = (count(s after the context) + P_k-1(s)) / (count(context) + 1), P_-1 = 1 / targets
markov1..3_cpu   the same with the last targets of the CPU
uniform          decision: all candidates with equal probability
longest_waiting  decision: the candidate that was woken (or preempted) first
least_runtime    decision: the candidate with the least CPU time so far

top1, top5: share of rows whose target is the first, or among the first five answers. log_loss: mean -ln of the target's
probability. calibration_error: mean distance of a predictor's own probability from its accuracy, in ten bins. unseen:
share of rows whose target train.csv lacks. of: any rows, or those with a choice (more than one candidate).
Needs numpy and pandas (Debian: python3-numpy, python3-pandas).
"""
import argparse
import heapq
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy
import pandas

PARTS = ("train", "test_seen", "test_unseen")
TOP, ORDERS = 5, (1, 2, 3)
FIGURES = ("rows", "top1", "top5", "log_loss", "calibration_error", "unseen")


def read(directory):
    """All rows in the order of the files. All values stay text; names may contain any byte."""
    options = {"dtype": str, "keep_default_na": False, "encoding": "latin-1"}
    rows = pandas.concat([pandas.read_csv(Path(directory) / f"{part}.csv", **options).assign(part=part)
                          for part in PARTS], ignore_index=True)
    if "task_name" in rows:
        rows = rows.rename(columns={"task_name": "next_name", "prev_comm": "prev_name"})
    if not (rows["part"] == "train").any():
        sys.exit(f"{directory}: train.csv has no rows to learn from")
    # Histories begin anew with each trace, whose rows follow each other.
    rows["trace"] = (rows["trace_id"] != rows["trace_id"].shift()).cumsum()
    return rows


class Markov:
    """Counts of symbols after each context of up to three symbols. A context is a tuple, the latest symbol first."""

    def __init__(self, histories, following, alphabet):
        self.counts = defaultdict(Counter)
        for history, symbol in zip(histories, following):
            for order in range(len(history) + 1):
                self.counts[history[:order]][symbol] += 1
        self.totals = {context: sum(counts.values()) for context, counts in self.counts.items()}
        self.alphabet = alphabet
        self.probabilities, self.tops = {}, {}

    def context(self, history, order):
        """The longest context of at most this order that occurs in train.csv before another symbol."""
        while history[:order] not in self.totals:
            order -= 1
        return history[:order]

    def probability(self, context, symbol):
        key = context, symbol
        if key not in self.probabilities:
            shorter = self.probability(context[:-1], symbol) if context else 1 / self.alphabet
            self.probabilities[key] = (self.counts[context][symbol] + shorter) / (self.totals[context] + 1)
        return self.probabilities[key]

    def top(self, context):
        """The best five. Equal counts: the more frequent in shorter contexts, then the earlier in train.csv."""
        if context not in self.tops:
            shorter = [self.counts[context[:order]] for order in range(len(context), -1, -1)]
            best = heapq.nsmallest(TOP, self.counts[context], lambda s: [-counts[s] for counts in shorter] + [s])
            if context and len(best) < TOP:
                best += [symbol for symbol in self.top(context[:-1]) if symbol not in best]
            self.tops[context] = best[:TOP]
        return self.tops[context]


class Sequence:
    """One target, names or roles, as numbers in the order in which train.csv has them first."""

    def __init__(self, rows, target, more_texts=None):
        texts = zip(rows["next_" + target], rows["prev_" + target], *([] if more_texts is None else [more_texts]))
        self.numbers = {}
        for following, previous, *lists in texts:
            for text in (following, previous, *(text for each in lists for text in each)):
                self.numbers.setdefault(text, len(self.numbers))
        following = rows["next_" + target].map(self.numbers)
        self.train = (rows["part"] == "train").to_numpy()
        self.following = following.to_numpy()
        self.successor = following.groupby(rows["prev_" + target].to_numpy()).shift().fillna(-1).astype(int).to_numpy()
        seen = set(self.following[self.train])
        self.unseen = numpy.array([symbol not in seen for symbol in self.following])
        self.histories, self.models = {}, {}
        for suffix, lanes in (("", ["trace"]), ("_cpu", ["trace", "cpu"])):
            groups = following.groupby([rows[lane] for lane in lanes])
            last = numpy.stack([groups.shift(n).fillna(-1).astype(int).to_numpy() for n in ORDERS], axis=1)
            self.histories[suffix] = [tuple(symbol for symbol in each if symbol >= 0) for each in last.tolist()]
            learnt = [history for history, is_train in zip(self.histories[suffix], self.train) if is_train]
            self.models[suffix] = Markov(learnt, self.following[self.train].tolist(), len(seen) + 1)

    def contexts(self):
        """(predictor, its counts, the context of each test row)"""
        tests = numpy.flatnonzero(~self.train)
        yield "majority", self.models[""], [()] * len(tests)
        for suffix, model in self.models.items():
            for order in ORDERS:
                yield (f"markov{order}{suffix}", model,
                       [model.context(self.histories[suffix][row], order) for row in tests])

    def answers(self):
        """(predictor, an answer per test row: right, right in five, probability of the first and of the target)"""
        symbols = self.following[~self.train]
        right = symbols == self.models[""].top(())[0]
        yield "constant", without_probability(right, right)
        right = symbols == self.successor[~self.train]
        yield "last_successor", without_probability(right, right)
        for name, model, contexts in self.contexts():
            known = {}
            for context, symbol in set(zip(contexts, symbols.tolist())):
                top = model.top(context)
                known[context, symbol] = (top[0] == symbol, symbol in top, model.probability(context, top[0]),
                                          model.probability(context, symbol))
            yield name, numpy.array([known[key] for key in zip(contexts, symbols.tolist())], float)


def without_probability(right, five):
    nothing = numpy.full(len(right), numpy.nan)
    return numpy.stack([right, five, nothing, nothing], axis=1)


def by_order(orders, chosen):
    """Answers of predictors that put the candidates in an order."""
    right = numpy.array([order[0] == place for order, place in zip(orders, chosen)], bool)
    five = numpy.array([place in order[:TOP] for order, place in zip(orders, chosen)], bool)
    return without_probability(right, five)


def by_chance(chances, chosen):
    """Probabilities that differ only by rounding are equal: the candidate that has waited longer comes first."""
    answers = []
    for chance, place in zip(chances, chosen):
        order = sorted(range(len(chance)), key=lambda i: -float(f"{chance[i]:.11g}"))
        total = sum(chance)
        answers.append((order[0] == place, place in order[:TOP], chance[order[0]] / total,
                        chance[place] / total if place >= 0 else 0))
    return numpy.array(answers, float).reshape(-1, 4)


def decisions_by_role(rows, roles):
    """Answers of predictors of roles to the question which candidate was chosen; -1: it is not listed."""
    places = rows["chosen"].replace("", "-1").astype(int)
    candidates = [[roles.numbers[role] for role in text.split(" ")] for text in rows["candidate_roles"][~roles.train]]
    chosen = places[~roles.train].tolist()
    listed = places[roles.train][places[roles.train] >= 0]
    constant = listed.value_counts().sort_index().idxmax() if len(listed) else 0
    yield "constant", by_order([[constant]] * len(candidates), chosen)
    orders = []
    for symbols, successor in zip(candidates, roles.successor[~roles.train].tolist()):
        first = symbols.index(successor) if successor in symbols else 0
        orders.append([first] + [i for i in range(len(symbols)) if i != first])
    yield "last_successor", by_order(orders, chosen)
    for name, model, contexts in roles.contexts():
        yield name, by_chance([[model.probability(context, symbol) for symbol in symbols]
                               for context, symbols in zip(contexts, candidates)], chosen)


def decisions(rows, roles):
    """The same, and policies."""
    yield from decisions_by_role(rows, roles)
    tests = rows[~roles.train]
    chosen = tests["chosen"].replace("", "-1").astype(int).tolist()
    count = tests["candidates"].astype(int).to_numpy()
    yield "uniform", numpy.stack([1 / count, numpy.minimum(TOP, count) / count, 1 / count, 1 / count], axis=1)
    # The candidates are in the order of their waiting times.
    listed = [text.count(" ") + 1 for text in tests["candidate_roles"]]
    yield "longest_waiting", by_order([range(length) for length in listed], chosen)
    runtimes = [[0 if text == "-" else int(text) for text in line.split(" ")] for line in tests["candidate_runtime_ns"]]
    yield "least_runtime", by_order([sorted(range(len(line)), key=line.__getitem__) for line in runtimes], chosen)


def score(answers, unseen):
    right, five, best, target = answers.T
    loss = calibration = numpy.nan
    if not numpy.isnan(best).any():
        loss = -numpy.log(numpy.maximum(target, 1e-12)).mean()
        bins = numpy.minimum(9, (best * 10 + 1e-9).astype(int))
        distance = numpy.bincount(bins, best, 10) - numpy.bincount(bins, right, 10)
        calibration = numpy.abs(distance).sum() / len(best)
    return len(right), right.mean(), five.mean(), loss, calibration, unseen.mean()


def measure(tests, target, predictors, unseen):
    """A line per part, kind of rows, workload and predictor."""
    choice = tests["candidates"].astype(int) > 1 if "candidates" in tests else pandas.Series(False, tests.index)
    for predictor, answers in predictors:
        for part, of in ((part, of) for part in PARTS[1:] for of in ("any", "choice")):
            wanted = ((tests["part"] == part) & (choice if of == "choice" else True)).to_numpy()
            if not wanted.any():
                continue
            each = {}
            for workload in tests["workload_type"][wanted].unique():
                rows = wanted & (tests["workload_type"] == workload).to_numpy()
                each[workload] = score(answers[rows], unseen[rows])
            values = numpy.array(list(each.values()))
            mean = (int(values[:, 0].sum()), *values[:, 1:].mean(axis=0))
            for workload, figures in (("all", score(answers[wanted], unseen[wanted])), ("macro", mean), *each.items()):
                yield {"part": part, "target": target, "of": of, "predictor": predictor, "workload": workload,
                       **dict(zip(FIGURES, figures))}


def results(directory):
    rows = read(directory)
    tests = rows[rows["part"] != "train"]
    names = Sequence(rows, "name")
    lines = list(measure(tests, "next_name", names.answers(), names.unseen[~names.train]))
    if "chosen" in rows:
        roles = Sequence(rows, "role", rows["candidate_roles"].str.split(" "))
        unseen = roles.unseen[~roles.train]
        lines += measure(tests, "next_role", roles.answers(), unseen)
        lines += measure(tests, "decision", decisions(rows, roles), unseen)
    return pandas.DataFrame(lines, columns=["part", "workload", "target", "of", "predictor", *FIGURES])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", action="store_true", help="as CSV, with each workload, not only all and their mean")
    parser.add_argument("directory", metavar="DIR")
    arguments = parser.parse_args()
    try:
        table = results(arguments.directory)
    except (OSError, ValueError, KeyError) as problem:
        sys.exit(f"{arguments.directory}: not a complete dataset of picknext build: {problem}")
    if arguments.csv:
        table.to_csv(sys.stdout, index=False, float_format="%.4f")
        return
    shown = table[table["workload"].isin(["all", "macro"])].sort_values(["part", "of"], kind="stable")
    print(shown.to_string(index=False, na_rep="-", float_format="%.4f"))


if __name__ == "__main__":
    main()
