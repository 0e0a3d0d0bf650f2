#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which scheduler, or which fault, made this trace? A baseline classifier, and its confusion matrix.

/usr/bin/python3 workloads/models/which_kernel.py DIR [--of set_label|scheduler|kernel]
DIR: made by picknext build --task pick or keys

A trace is one example. Its features are quantiles and means of the numbers in its rows of decisions (waiting times, run
times, ranks of the chosen candidate, candidates; keys, and whether the rule explains the choice), and the shares of
states, causes and reasons. Names, roles, CPU numbers, times of day, tunables and labels are not features, so that the
answer follows from the decisions. 300 random trees learn the traces of train.csv and answer for those of test_seen.csv:
other runs of the same workloads. majority: the most frequent answer of train.csv. Ties go to the first answer in the
alphabet. The interval is from 1,000 draws of traces. With more than 12 answers, the output has the diagonal and the
largest errors of the confusion matrix.
Needs numpy, pandas and scikit-learn (Debian: python3-sklearn, python3-pandas).
"""
import argparse
import sys
import textwrap
from pathlib import Path

import numpy
import pandas
from sklearn.ensemble import ExtraTreesClassifier

from choice_models import DRAWS, SEED, read_rows

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
OWN_NUMBERS = ("prev_ran_ns", "candidates", "chosen", "level", "levels", "explained")
WORDS = ("prev_state", "candidate_causes", "asked_by", "rule_reason", "candidate_buddy")
LISTS = ("candidate_waiting_ns", "candidate_slice_ns", "candidate_runtime_ns", "candidate_share_ppm", "candidate_woken_by_prev",
         "candidate_running", "candidate_weight", "candidate_lag_ns", "candidate_deadline_ns", "candidate_eligible",
         "candidate_protected", "candidate_delayed")
WHOLE_MAX, PAIRS = 12, 10


def numbers_of(rows, name):
    return pandas.to_numeric(rows[name].replace("-", ""), errors="coerce").to_numpy(float)


def summaries(prefix, values):
    values = values[~numpy.isnan(values)]
    found = numpy.quantile(values, QUANTILES) if len(values) else numpy.full(len(QUANTILES), numpy.nan)
    return {f"{prefix} {q}": value for q, value in zip(QUANTILES, found)} | {f"{prefix} mean": values.mean() if len(values) else numpy.nan}


def features_of(rows):
    """The features of one trace, from its rows."""
    features = {}
    if "rule_choice" in rows:
        rows = rows.assign(explained=(rows["rule_choice"] == rows["chosen"]).astype(int).astype(str).where(rows["rule_choice"] != "", ""))
    own_numbers, lists_of, words = ([name for name in names if name in rows] for names in (OWN_NUMBERS, LISTS, WORDS))
    for name in own_numbers:
        features |= summaries(name, numbers_of(rows, name))
    for name in lists_of:
        lists = rows[name].str.split(" ")
        features |= summaries(name, numbers_of(lists.explode().to_frame(name), name))
        listed = rows["chosen"] != ""
        chosen = pandas.DataFrame({name: [values[int(at)] for values, at in zip(lists[listed], rows["chosen"][listed])]}, dtype=str)
        features |= summaries(f"chosen {name}", numbers_of(chosen, name))
    for name in words:
        shares = rows[name].str.split(" ").explode().value_counts(normalize=True)
        features |= {f"share of {name} {word}": share for word, share in shares.items()}
    return features


def examples(rows):
    return pandas.DataFrame({trace: features_of(of) for trace, of in rows.groupby("trace_id")}).T.astype(float)


def show_matrix(matrix):
    """Rows: what made the traces; columns: the answers."""
    if len(matrix) <= WHOLE_MAX:
        print(matrix.to_string())
        return
    by_right = {}
    for name, row in matrix.iterrows():
        by_right.setdefault((row.get(name, 0), row.sum()), []).append(name)
    for (right, traces), names in sorted(by_right.items(), reverse=True):
        print(textwrap.fill(f"{right} of {traces} right: {', '.join(names)}", 118, subsequent_indent="    ", break_on_hyphens=False))
    wrong = matrix.stack().sort_values(ascending=False, kind="stable")
    for (name, answer), traces in wrong[[name != answer and traces > 0 for (name, answer), traces in wrong.items()]].head(PAIRS).items():
        print(f"{name} taken for {answer}: {traces}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", default="set_label", metavar="COLUMN", help="set_label (default), scheduler or kernel")
    parser.add_argument("--csv", action="store_true", help="print only the whole confusion matrix")
    parser.add_argument("directory", metavar="DIR")
    arguments = parser.parse_args()
    parts = [read_rows(arguments.directory, part) for part in ("train", "test_seen")]
    train, test = (examples(rows) for rows in parts)
    wanted, right = (rows.groupby("trace_id")[arguments.of].first() for rows in parts)
    if wanted.nunique() < 2:
        sys.exit(f"{arguments.directory}: all traces of train.csv have the same {arguments.of}")
    columns = sorted(train.columns)
    model = ExtraTreesClassifier(300, random_state=SEED, min_samples_leaf=1)
    model.fit(train[columns].fillna(-1), wanted)
    answers = model.predict(test.reindex(columns=columns).fillna(-1))
    majority = wanted.value_counts().sort_index().idxmax()
    hits = (answers == right).to_numpy()
    draws = numpy.random.default_rng(SEED).integers(0, len(hits), (DRAWS, len(hits)))
    low, high = numpy.percentile(100 * hits[draws].mean(axis=1), [2.5, 97.5])
    matrix = pandas.crosstab(right.to_numpy(), answers, rownames=["made by"], colnames=["answer"])
    if arguments.csv:
        matrix.to_csv(sys.stdout)
        return
    print(f"{Path(arguments.directory).resolve().name}: {len(train)} traces of train.csv, {len(test)} of test_seen.csv: "
          f"percent of right answers to which {arguments.of}\n")
    print(f"majority {100 * (right == majority).mean():.1f}\ntrees    {100 * hits.mean():.1f} [{low:.1f}, {high:.1f}]\n")
    show_matrix(matrix)


if __name__ == "__main__":
    main()
