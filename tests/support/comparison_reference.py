#!/usr/bin/env python3
"""comparison_reference.py JSON [CSV]: works every figure of `picknext compare --json` out again, from the values of the
runs that are in it, in the plainest way, and compares. With CSV: that of the same comparison says the same."""
import collections
import csv
import itertools
import json
import math
import statistics
import sys

def change(first, second, is_percent):
    if not is_percent:
        return second - first
    if first == 0:
        return math.inf if second else 0
    return (second - first) / first * 100


def limits(values):
    """Of the median: order statistics with a confidence of 95.5 %, interpolated as Hettmansperger and Sheather do."""
    n, middle = len(values), statistics.median(values)
    if n == 5:
        return max(0, middle - 1.1242 * (middle - values[0])), middle + 1.1242 * (values[-1] - middle)
    confidence = [1 - 2 * sum(math.comb(n, k) for k in range(rank)) / 2**n for rank in range(n // 2 + 1)]
    rank = max(rank for rank in range(1, n // 2) if confidence[rank] >= 0.955)
    part = (confidence[rank] - 0.955) / (confidence[rank] - confidence[rank + 1])
    part = (n - rank) * part / (rank + (n - 2 * rank) * part)
    return [(1 - part) * end[rank - 1] + part * end[rank] for end in (values, values[::-1])]


def bisect(is_inside, inside, outside):
    for _ in range(200):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_inside(middle) else (inside, middle)
    return inside


def interval(first, second, is_percent):
    """MOVER: a ratio is in the interval if second - ratio * first may be 0."""
    a, b = statistics.median(first), statistics.median(second)
    (a_low, a_high), (b_low, b_high) = limits(first), limits(second)
    if not is_percent:
        return b - a - math.hypot(b - b_low, a_high - a), b - a + math.hypot(b_high - b, a - a_low)

    def may_be_lower(ratio):
        return b - ratio * a <= math.hypot(b - b_low, ratio * (a_high - a)) + 1e-12 * b

    def may_be_higher(ratio):
        return ratio * a - b <= math.hypot(b_high - b, ratio * (a - a_low)) + 1e-12 * b

    low = 0 if may_be_lower(0) else bisect(may_be_lower, b / a, 0)
    high = math.inf if may_be_higher(1e9) else bisect(may_be_higher, b / a, 1e9)
    return 100 * (low - 1), 100 * (high - 1)


def rank_sum_chance(first, second):
    """Every way to choose len(first) of all ranks."""
    both = sorted(first + second)
    ranks = {value: statistics.mean(i + 1 for i, other in enumerate(both) if other == value) for value in both}
    all_ranks = [ranks[value] for value in both]
    expected = len(first) * (len(both) + 1) / 2
    seen = abs(sum(ranks[value] for value in first) - expected)
    sums = [abs(sum(chosen) - expected) for chosen in itertools.combinations(all_ranks, len(first))]
    return sum(far >= seen - 1e-9 for far in sums) / len(sums)


def same(what, told, expected):
    if told is None or expected is None or not math.isfinite(expected):
        assert told is None and (expected is None or not math.isfinite(expected)), (what, told, expected)
    else:
        assert math.isclose(told, expected, rel_tol=1e-6, abs_tol=1e-9), (what, told, expected)


def known(values):
    return sorted(x for x in values if x is not None)


def check_sample(what, sample):
    values = known(sample["values"])
    assert values == sorted(values) and len(values) == sample["runs"], what
    same(what, sample["median"], statistics.median(values) if values else None)
    spread = None
    if len(values) > 1:
        quartiles = statistics.quantiles(values, n=4, method="inclusive")
        spread = (quartiles[2] - quartiles[0]) / 2
    same(what, sample["spread"], spread)
    is_relative = spread is not None and sample["median"] > 0
    same(what, sample["spread_percent"], spread / sample["median"] * 100 if is_relative else None)


def verdict_of(cell, row, method):
    first, second = known(row["sets"][0]["values"]), known(cell["values"])
    margin = method["margin_percent"] if cell["is_percent"] else 0
    if cell["high"] is not None and -margin <= cell["low"] and cell["high"] <= margin:
        return "equal"
    if max(abs(end) for end in interval(first, second, False)) < row["floor"]:
        return "negligible"
    if cell["low"] <= 0 and (cell["high"] is None or cell["high"] >= 0):
        return "unclear"
    if abs(statistics.median(second) - statistics.median(first)) < row["floor"]:
        return "unclear"
    better = row["better"]
    if better == "neither":
        return "different"
    return "better" if (cell["change"] > 0) == (better == "higher") else "worse"


def check_cell(what, row, cell, method):
    first, second = known(row["sets"][0]["values"]), known(cell["values"])
    if not first or not second:
        assert cell["verdict"] == "-" and cell["change"] is None and cell["p"] is None, what
        return None
    assert cell["is_percent"] == (statistics.median(first) > 0), what
    same(what, cell["change"], change(statistics.median(first), statistics.median(second), cell["is_percent"]))
    p = rank_sum_chance(first, second)
    same(what, cell["p"], p)
    is_few = min(len(first), len(second)) < method["least_runs"]
    if len({*first, *second}) == 1 and (first[0] == 0 or not is_few):
        assert cell["verdict"] == "not exercised", what
        return None
    if is_few:
        assert cell["verdict"] == "needs ≥5 runs" and cell["low"] is None, what
        return None
    low, high = interval(first, second, cell["is_percent"])
    same(what, cell["low"], low)
    same(what, cell["high"], high)
    return p, verdict_of(cell, row, method)


def family_chances(rows):
    """Westfall and Young's step-down maxT over all ways to divide the runs, as long as these are 20,000; rows are
    (values of each run of the first set, of the second, scale)."""
    first, second, _ = rows[0]
    n, runs = len(first), len(first) + len(second)
    if math.comb(runs, n) > 20000:
        return None
    scores = []
    for a, b, scale in rows:
        known = [None if x is None else math.log1p(x / scale) for x in a + b]
        mean = statistics.fmean(x for x in known if x is not None)
        size = math.sqrt(sum((x - mean) ** 2 for x in known if x is not None))
        scores.append([None if x is None else (x - mean) / size if size > 1e-9 else 0.0 for x in known])

    def statistic(score, way):
        total = sum(x is not None for x in score)
        ours = [score[i] for i in way if score[i] is not None]
        return abs(sum(ours)) * math.sqrt(total / (len(ours) * (total - len(ours)))) if 0 < len(ours) < total else 0.0

    observed = [statistic(score, range(n)) for score in scores]
    order = sorted(range(len(rows)), key=lambda i: -observed[i])
    extremes, ways = [0] * len(rows), 0
    for way in itertools.combinations(range(runs), n):
        ways, largest = ways + 1, 0.0
        for i in reversed(order):
            largest = max(largest, statistic(scores[i], way))
            extremes[i] += largest >= observed[i] - 1e-9
    chances, p = [0.0] * len(rows), 0.0
    for i in order:
        chances[i] = p = max(p, extremes[i] / ways)
    return chances


def scale_of(row, cell):
    known = [x for x in row["sets"][0]["values"] + cell["values"] if x]
    return row["floor"] or min(known, default=1)


def check_significant(tests, method):
    """A family is a workload. Benjamini and Hochberg choose families; in these Benjamini and Bogomolov's level."""
    families = collections.defaultdict(list)
    for test in tests:
        families[test[0][0], test[0][2]].append(test)
    smallest = {}
    for family, members in families.items():
        chances = family_chances([(row["sets"][0]["values"], cell["values"], scale_of(row, cell)) for _, cell, _, _, row in members])
        for number, (what, cell, *_) in enumerate(members):
            if chances:
                same(what, cell["p_family"], chances[number])
        smallest[family] = min(cell["p_family"] for _, cell, *_ in members)
    ordered, rate = sorted(smallest.values()), method["false_discovery_rate"]
    limits = [p for k, p in enumerate(ordered, 1) if p <= rate * k / len(ordered) + 1e-12]
    chosen = [p for p in ordered if limits and p <= limits[-1]]
    for what, cell, p, verdict, _ in tests:
        differs = verdict in ("better", "worse", "different")
        significant = differs and cell["p_family"] <= rate * len(chosen) / len(ordered) + 1e-12
        assert cell["significant"] == significant, (what, p, limits)
        assert cell["verdict"] == ("unclear" if method["strict"] and differs and not significant else verdict), (what, verdict)


def check_csv(report, path):
    rows = list(csv.DictReader(open(path, newline="")))
    cells = [(row, number, cell) for row in report["rows"] for number, cell in enumerate(row["sets"]) if number]
    assert len(rows) == len(cells) > 0
    for line, (row, number, cell) in zip(rows, cells):
        first = row["sets"][0]
        assert line["workload"] == row["workload"] and line["metric"] == row["metric"], line
        assert line["base"] == report["sets"][0]["label"] and line["head"] == report["sets"][number]["label"], line
        assert line["verdict"] == cell["verdict"] and line["significant"] == str(int(cell["significant"])), line
        assert [int(line["base_runs"]), int(line["head_runs"])] == [first["runs"], cell["runs"]], line
        for key, value in (("base_median", first["median"]), ("base_spread", first["spread"]),
                           ("head_median", cell["median"]), ("head_spread", cell["spread"]), ("change", cell["change"]),
                           ("low", cell["low"]), ("high", cell["high"]), ("p", cell["p"])):
            same((line, key), float(line[key]) if line[key] else None, value)


def main():
    report = json.load(open(sys.argv[1]))
    tests = []
    for row in report["rows"]:
        for number, cell in enumerate(row["sets"]):
            what = (row["workload"], row["metric"], number)
            check_sample(what, cell)
            result = check_cell(what, row, cell, report["method"]) if number else None
            if result and not row["excluded"]:
                tests.append((what, cell, *result, row))
    check_significant(tests, report["method"])
    for summary in report["summary"]:
        verdicts = [row["sets"][summary["set"]]["verdict"] for row in report["rows"] if not row["excluded"]]
        for verdict in ("not exercised", "needs ≥5 runs", "unclear", "equal", "negligible", "better", "worse", "different"):
            assert summary[verdict] == verdicts.count(verdict), (summary, verdict)
    if len(sys.argv) > 2:
        check_csv(report, sys.argv[2])
    print(len(tests), "tests in", len(report["rows"]), "rows")


main()
