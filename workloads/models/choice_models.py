#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predictors of the choice among candidates: one table of baselines, rules and models, on the decisions with a choice.

/usr/bin/python3 workloads/models/choice_models.py DIR...    of picknext build --task pick, balance or keys; --means: one table

random           each candidate with equal probability: 1 / candidates
constant         the place in the list that was chosen most often in train.csv
majority         the candidate whose role was chosen most often in train.csv
last_successor   the candidate that followed the leaving task last time; it continues to learn in the tests
markov1..3       the candidate whose role followed the last one to three roles most often, with back-off (baselines.py)
markov1..3_cpu   the same with the last roles of the CPU
longest_waiting  the candidate that has waited longest
least_runtime    the candidate with the least CPU time so far
logistic         a conditional logit: the exponential of a weighted sum of the candidate's columns, over that of all
boosting         gradient boosting of trees on the same columns: which candidate is most probably the chosen one
tcn, lstm        networks on the same columns, and on those of the candidates chosen before in the trace
                 (choice_networks.py; Debian: python3-torch)
rule             the published rule on the recorded keys, if the rows have it (column rule_choice): the upper limit of
                 all models, unless the kernel deviates from the rule

Inputs of the learnt models (logistic, boosting, tcn, lstm): all candidate_* columns (numbers as they are, as logarithms
and as ranks among the candidates; words as one-hot values) and the number of candidates; no names, no roles. An unknown
value is a separate value for the trees, and 0 for the others. They learn at most N decisions of train.csv, drawn
uniformly with a fixed seed. All predictors resolve ties in favour of the candidate that is listed first: the one that
has waited longer, or in rows with keys the one with the smaller PID.

test_seen and test_unseen: accuracy per workload, in percent, with a 95 % interval from 1,000 draws of whole runs
(bootstrap by run; "-": one run). macro: the mean over the workloads with at least 1,000 such decisions. below the rule:
accuracy of the rule minus that of the predictor, in points, on the decisions that the rule judges (CSV: per workload).
Needs numpy, pandas and scikit-learn (Debian: python3-sklearn, python3-pandas).
"""
import argparse
import sys
from pathlib import Path

import numpy
import pandas
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier

from baselines import PARTS, Sequence, decisions_by_role

TESTS = PARTS[1:]
MACRO_ROWS, DRAWS, SEED = 1000, 1000, 1
NOT_FEATURES = {"candidate_roles"}


def open_rows(directory, part, **options):
    """All rows. All values stay text; names may contain any byte."""
    try:
        return pandas.read_csv(Path(directory) / f"{part}.csv", dtype=str, keep_default_na=False, encoding="latin-1", **options)
    except (OSError, ValueError) as problem:
        sys.exit(f"{directory}: not a complete dataset of picknext build: {problem}")


def read_rows(directory, part, **options):
    rows = open_rows(directory, part, **options)
    if "chosen" not in rows:
        sys.exit(f"{directory}: no rows of decisions: picknext build --task pick")
    return rows


def has_choice(rows):
    """Which decisions have one, and list the chosen candidate."""
    return ((rows["candidates"].astype(int) > 1) & (rows["chosen"] != "")).to_numpy()


def with_choice(rows):
    rows = rows[has_choice(rows)].reset_index(drop=True)
    return rows.assign(chosen=rows["chosen"].astype(int))


def answers_by_role(parts):
    """(predictor, whether it is right on each row of the tests, in their order). parts: all rows of each"""
    rows = pandas.concat([of.assign(part=part) for part, of in parts.items()], ignore_index=True)
    lists = rows["candidate_roles"].str.split(" ")
    following = rows["next_role"] if "next_role" in rows else rows["task_role"]
    places = pandas.to_numeric(rows["chosen"], errors="coerce")
    roles = Sequence(rows.assign(
        # At a level of groups the next task is not what was chosen.
        next_role=[of[int(place)] if place == place else other for of, place, other in zip(lists, places, following)],
        prev_role=rows["prev_role"] if "prev_role" in rows else rows["from_running"],
        cpu=rows["cpu"] if "cpu" in rows else rows["from_cpu"],
        trace=(rows["trace_id"] != rows["trace_id"].shift()).cumsum()), "role", lists)
    return {name: answers[:, 0] for name, answers in decisions_by_role(rows, roles)}


class Candidates:
    """The candidates of all rows, one after the other, as a matrix of features."""

    def __init__(self, rows, words=None):
        lists = {name: rows[name].str.split(" ") for name in rows if name.startswith("candidate_") and name not in NOT_FEATURES}
        self.counts = next(iter(lists.values())).str.len().to_numpy()
        self.starts = numpy.concatenate([[0], numpy.cumsum(self.counts)[:-1]])
        self.row = numpy.repeat(numpy.arange(len(rows)), self.counts)
        self.words = words or {}
        self.names, columns = [], []
        for name, values in lists.items():
            flat = pandas.Series(numpy.concatenate(values.to_numpy()))
            numbers = pandas.to_numeric(flat.replace("-", ""), errors="coerce")
            is_text = name in self.words if words else numbers.notna().sum() == 0 and (flat != "-").any()
            if is_text:
                self.words.setdefault(name, sorted(flat.unique()))
                columns += [(flat == word).to_numpy(float) for word in self.words[name]]
                self.names += [f"{name}={word}" for word in self.words[name]]
                continue
            numbers = numbers.to_numpy(float)
            columns += [numbers, numpy.sign(numbers) * numpy.log1p(numpy.abs(numbers)), self.rank(numbers)]
            self.names += [name, f"log {name}", f"rank of {name}"]
        columns.append(numpy.repeat(self.counts, self.counts))
        self.names.append("candidates")
        self.matrix = numpy.stack(columns, axis=1)
        self.traces = rows["trace_id"].ne(rows["trace_id"].shift()).cumsum().to_numpy()
        self.is_chosen = numpy.zeros(len(self.row), bool)
        self.is_chosen[self.starts + rows["chosen"].to_numpy()] = True

    def rank(self, values):
        """0 for the minimum of a row, 1 for the maximum; unknown values count as minimum."""
        ranks = pandas.Series(numpy.nan_to_num(values, nan=-numpy.inf)).groupby(self.row).rank(method="min").to_numpy() - 1
        return ranks / numpy.maximum(1, numpy.repeat(self.counts, self.counts) - 1)

    def best(self, scores):
        """Per row, whether the first candidate with the greatest score was chosen."""
        greatest = numpy.repeat(numpy.maximum.reduceat(scores, self.starts), self.counts)
        places = numpy.where(scores == greatest, numpy.arange(len(scores)), len(scores))
        return self.is_chosen[numpy.minimum.reduceat(places, self.starts)]


class Logit:
    def __init__(self, train):
        features = numpy.nan_to_num(train.matrix)
        self.mean, self.scale = features.mean(axis=0), features.std(axis=0)
        self.scale[self.scale == 0] = 1
        features = (features - self.mean) / self.scale

        def loss(weights):
            scores = features @ weights
            greatest = numpy.maximum.reduceat(scores, train.starts)
            powers = numpy.exp(scores - numpy.repeat(greatest, train.counts))
            sums = numpy.add.reduceat(powers, train.starts)
            rows = len(train.starts)
            value = (numpy.log(sums) + greatest).sum() - scores[train.is_chosen].sum()
            slope = features.T @ (powers / numpy.repeat(sums, train.counts) - train.is_chosen)
            return value / rows + 1e-4 * weights @ weights, slope / rows + 2e-4 * weights

        self.weights = minimize(loss, numpy.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x

    def scores(self, candidates):
        return (numpy.nan_to_num(candidates.matrix) - self.mean) / self.scale @ self.weights


class Boosting:
    def __init__(self, train):
        self.model = HistGradientBoostingClassifier(max_iter=200, early_stopping=False, random_state=SEED)
        self.model.fit(train.matrix, train.is_chosen)

    def scores(self, candidates):
        return self.model.predict_proba(candidates.matrix)[:, 1]


def answers(rows, candidates, by_role, models):
    """(predictor, a number per row: the chance that it names the chosen candidate)"""
    yield "random", 1 / candidates.counts
    yield from by_role.items()
    for name, column, sign in (("longest_waiting", "candidate_waiting_ns", 1), ("least_runtime", "candidate_runtime_ns", -1)):
        if column in candidates.names:
            yield name, candidates.best(sign * numpy.nan_to_num(candidates.matrix[:, candidates.names.index(column)]))
    for name, model in models.items():
        yield name, candidates.best(model.scores(candidates))
    if "rule_choice" in rows:
        judged = rows["rule_choice"] != ""
        yield "rule", numpy.where(judged, rows["rule_choice"] == rows["chosen"].astype(str), numpy.nan)


def draw(right, runs, random):
    """The means of draws of whole runs; one number if there is one run."""
    sums = pandas.DataFrame({"run": runs, "right": right}).dropna().groupby("run")["right"].agg(["sum", "count"]).to_numpy()
    if len(sums) < 2:
        return numpy.nanmean(right) if len(sums) else numpy.nan
    drawn = sums[random.integers(0, len(sums), (DRAWS, len(sums)))].sum(axis=1)
    return drawn[:, 0] / drawn[:, 1]


def line(part, workload, predictor, rows, mean, draws, below):
    """draws: of the mean; below: the rule's accuracy less the predictor's."""
    low, high = numpy.percentile(draws, [2.5, 97.5]) if numpy.ndim(draws) else (numpy.nan, numpy.nan)
    return part, workload, predictor, rows, 100 * mean, 100 * low, 100 * high, 100 * below


def networks(train, steps):
    """None without torch, or without steps."""
    if not steps:
        return {}
    try:
        from choice_networks import Lstm, Network, Tcn
    except ImportError:
        print("no torch (Debian: python3-torch): the table lacks tcn and lstm", file=sys.stderr)
        return {}
    return {"tcn": Network(Tcn, train, steps), "lstm": Network(Lstm, train, steps)}


def measure(part, rows, by_role, models, words):
    """A line per workload and predictor, and the mean over workloads."""
    candidates = Candidates(rows, words)
    found = {predictor: numpy.asarray(right, float) for predictor, right in answers(rows, candidates, by_role, models)}
    rule = found.get("rule", numpy.full(len(rows), numpy.nan))
    for predictor, right in found.items():
        random, of_macro = numpy.random.default_rng(SEED), []
        for workload, of in rows.groupby("workload_type").groups.items():
            known = ~numpy.isnan(right[of])
            judged = of[~numpy.isnan(rule[of])]
            mean = right[of][known].mean() if known.any() else numpy.nan
            below = (rule[judged] - right[judged]).mean() if len(judged) else numpy.nan
            draws = draw(right[of], rows["trace_id"].to_numpy()[of], random)
            of_macro += [(mean, draws, below)] if len(of) >= MACRO_ROWS else []
            yield line(part, workload, predictor, len(of), mean, draws, below)
        if of_macro:
            means, draws, belows = zip(*of_macro)
            yield line(part, "macro", predictor, len(means), numpy.mean(means), sum(draws) / len(draws), numpy.mean(belows))


def texts(table):
    return [f"{mean:.1f}" + ("" if numpy.isnan(low) else f" [{low:.1f}, {high:.1f}]")
            for mean, low, high in table[["accuracy", "low", "high"]].to_numpy()]


def show_means(table):
    """The means of all directories, as one Markdown table."""
    columns = []
    for (directory, part), of in table[table["workload"] == "macro"].groupby(["set", "part"], sort=False):
        columns.append((f"{directory}, {part}", dict(zip(of["predictor"], texts(of)))))
        if of["below_rule"].notna().any():
            columns.append(("below the rule", {name: f"{value:.1f}" for name, value in zip(of["predictor"], of["below_rule"])}))
    print("| predictor | " + " | ".join(head for head, _ in columns) + " |\n|---" + "|--:" * len(columns) + "|")
    for predictor in dict.fromkeys(name for _, column in columns for name in column):
        print("| " + " | ".join([predictor, *(column.get(predictor, "") for _, column in columns)]) + " |")


def show(table):
    below = table[(table["workload"] == "macro") & table["below_rule"].notna()]
    shown = pandas.concat([table.assign(text=texts(table)), below.assign(
        workload="below the rule", text=[f"{value:.1f}" for value in below["below_rule"]])])
    for (directory, part), of in shown.groupby(["set", "part"], sort=False):
        print(f"\n{directory}, {part}: percent of right decisions among those with a choice [95 % interval over runs]\n")
        wide = of.pivot(index=["workload", "rows"], columns="predictor", values="text")[list(dict.fromkeys(of["predictor"]))]
        # The means come last.
        wide = wide.loc[sorted(wide.index, key=lambda index: index[0] in ("macro", "below the rule"))]
        print(wide.reset_index().rename_axis(columns=None).to_string(index=False, na_rep="-"))


def table_of(directory, arguments):
    """A line per part of the tests, workload and predictor."""
    parts = {part: read_rows(directory, part) for part in PARTS}
    if "candidate_roles" not in parts["train"]:
        sys.exit(f"{directory}: rows without candidates: picknext build --task pick, balance or keys")
    rows = with_choice(parts["train"])
    if not len(rows):
        sys.exit(f"{directory}: train.csv has no decision with a choice")
    sample = rows.sample(min(len(rows), arguments.rows), random_state=SEED).sort_index().reset_index(drop=True)
    train = Candidates(sample)
    models = {"logistic": Logit(train), "boosting": Boosting(train)} | networks(train, arguments.steps)
    by_role, lines, first = answers_by_role(parts), [], 0
    for part in TESTS:
        rows = parts[part]
        used = has_choice(rows)
        of_part = {name: right[first:first + len(rows)][used] for name, right in by_role.items()}
        first += len(rows)
        if used.any():
            lines += measure(part, with_choice(rows), of_part, models, train.words)
    columns = ["part", "workload", "predictor", "rows", "accuracy", "low", "high", "below_rule"]
    return pandas.DataFrame(lines, columns=columns).assign(set=Path(directory).resolve().name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=60000, metavar="N", help="decisions to learn from (default: 60000)")
    parser.add_argument("--steps", type=int, default=1000, metavar="N", help="training steps of tcn and lstm; 0: without them (default: 1000)")
    parser.add_argument("--csv", action="store_true", help="all values as CSV")
    parser.add_argument("--means", action="store_true", help="the means over workloads, in one table of Markdown")
    parser.add_argument("directories", metavar="DIR", nargs="+")
    arguments = parser.parse_args()
    table = pandas.concat([table_of(directory, arguments) for directory in arguments.directories])
    if arguments.csv:
        table.to_csv(sys.stdout, index=False, float_format="%.2f")
    else:
        (show_means if arguments.means else show)(table)


if __name__ == "__main__":
    main()
