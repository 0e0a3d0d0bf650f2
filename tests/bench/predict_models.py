#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A TCN and an LSTM, trained on a CPU for a bounded time on the rows of decisions that picknext predict measures.

/usr/bin/python3 tests/bench/predict_models.py DIR [--seconds S] [--seeds N] [--picknext FILE]

Needs Debian's python3-torch. Both read the roles of the last 16 tasks of the CPU and name the next role; a decision is the
candidate whose role they think most probable. They learn train.csv for S seconds of CPU time with each seed, and print accuracy
and log-loss of the rows with a choice as rows of a Markdown table, after those of picknext predict."""
import argparse
import csv
import subprocess
import time
from collections import defaultdict
from pathlib import Path

import torch
from torch import nn

HISTORY, WIDTH, BATCH = 16, 64, 256
START, UNKNOWN = 0, 1  # then the roles of train.csv
csv.field_size_limit(1 << 30)


class Tcn(nn.Module):
    """Four levels of causal convolutions with dilations 1, 2, 4 and 8, each with a residual."""

    def __init__(self, roles):
        super().__init__()
        self.embed = nn.Embedding(roles, WIDTH)
        self.levels = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 3, dilation=2**i) for i in range(4))
        self.out = nn.Linear(WIDTH, roles)

    def forward(self, history):
        x = self.embed(history).transpose(1, 2)
        for i, level in enumerate(self.levels):
            x = x + torch.relu(level(nn.functional.pad(x, (2 * 2**i, 0))))
        return self.out(x[:, :, -1])


class Lstm(nn.Module):
    def __init__(self, roles):
        super().__init__()
        self.embed = nn.Embedding(roles, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.out = nn.Linear(WIDTH, roles)

    def forward(self, history):
        return self.out(self.lstm(self.embed(history))[0][:, -1])


def rows_of(path, number):
    """(history, target, candidates, chosen) of each row; a role that train.csv lacks is UNKNOWN."""
    histories, trace = None, None
    with open(path, encoding="latin-1", newline="") as file:
        for row in csv.DictReader(file):
            if row["trace_id"] != trace:
                trace, histories = row["trace_id"], defaultdict(lambda: [START] * HISTORY)
            history = histories[row["cpu"]]
            role = number(row["next_role"])
            candidates = [number(name) for name in row["candidate_roles"].split(" ")] if int(row["candidates"]) > 1 else None
            yield list(history), role, candidates, int(row["chosen"]) if row["chosen"] else None
            history.pop(0)
            history.append(role)


def train(model, histories, targets, seconds):
    start, steps = time.process_time(), 0
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    while time.process_time() - start < seconds:
        for batch in torch.randperm(len(targets)).split(BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(histories[batch]), targets[batch]).backward()
            optimizer.step()
            steps += len(batch)
            if time.process_time() - start >= seconds:
                break
    return steps / len(targets), time.process_time() - start


def measure(model, rows):
    """Accuracy of the next role and of the decision, log-loss of the next role; of rows with a choice."""
    role = decision = loss = 0.0
    count = max(1, len(rows))
    with torch.no_grad():
        for at in range(0, len(rows), 1024):
            part = rows[at:at + 1024]
            logits = model(torch.tensor([row[0] for row in part]))
            logits[:, START] = -1e9
            shares = torch.log_softmax(logits, 1)
            for share, (_, target, candidates, chosen) in zip(shares, part):
                role += target != UNKNOWN and int(share.argmax()) == target
                loss -= max(float(share[target]), -27.6)
                best = max(range(len(candidates)), key=lambda i: (float(share[candidates[i]]), -i)) if len(candidates) else None
                decision += best == chosen
    return role / count, decision / count, loss / count


def baselines(picknext, directory):
    table = csv.DictReader(subprocess.run([picknext, "predict", "-q", "--csv", directory], check=True, text=True,
                                          stdout=subprocess.PIPE).stdout.splitlines())
    found = {(row["part"], row["target"], row["predictor"]): row for row in table
             if row["workload"] == "all" and row["of"] == "choice"}
    for part in ("test_seen", "test_unseen"):
        for predictor in dict.fromkeys(key[2] for key in found):
            values = [found.get((part, target, predictor)) for target in ("next_role", "decision")]
            shown = [f"{100 * float(value['top1']):.1f}" if value else "" for value in values]
            loss = values[0]["log_loss"] if values[0] else ""
            print(f"| {part} | {predictor} | {shown[0]} | {loss} | {shown[1]} | |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--picknext", default="build/picknext")
    given = parser.parse_args()
    numbers = {}
    directory = Path(given.directory)
    learnt = list(rows_of(directory / "train.csv", lambda name: numbers.setdefault(name, len(numbers) + 2)))
    # START and UNKNOWN are not answers; a model never saw UNKNOWN as a target.
    names = list(numbers)
    lookup = {name: i + 2 for i, name in enumerate(names)}
    tests = {part: [row for row in rows_of(directory / f"{part}.csv", lambda name: lookup.get(name, UNKNOWN)) if row[2]]
             for part in ("test_seen", "test_unseen")}
    histories = torch.tensor([row[0] for row in learnt])
    targets = torch.tensor([row[1] for row in learnt])
    print("| part | predictor | next role % | log-loss | decision % | training |\n|---|---|--:|--:|--:|---|")
    baselines(given.picknext, given.directory)
    for seed in range(1, given.seeds + 1):
        for kind in (Tcn, Lstm):
            torch.manual_seed(seed)
            model = kind(len(numbers) + 2)
            epochs, seconds = train(model, histories, targets, given.seconds)
            for part, rows in tests.items():
                role, decision, loss = measure(model, rows)
                print(f"| {part} | {kind.__name__} | {100 * role:.1f} | {loss:.3f} | {100 * decision:.1f} | "
                      f"seed {seed}, {epochs:.1f} epochs, {seconds:.0f} s |", flush=True)


if __name__ == "__main__":
    main()
