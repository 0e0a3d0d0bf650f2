#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The TCN and the LSTM of collect_traces.py's training, trained on a CPU for a bounded time on the rows of decisions that
baselines.py measures.

/usr/bin/python3 workloads/models/predict_models.py DIR [--seconds S] [--seeds N]

Needs Debian's python3-torch. The layers, their sizes and the optimizer are those of github.com/mmarcotullio/KernelOracle; the
rest is ours. Both read the last 64 rows of the trace (role, state of the task before, CPU, time since the row before) and name the
next role, where that names a PID; a decision is the candidate whose role they think most probable. They learn
train.csv for S seconds of CPU time with each seed, at most 5 epochs as there, every row of a window being a target.
Printed: accuracy and log-loss of the rows with a choice, over all rows and as the mean over workloads, as rows of a Markdown table, after
those of baselines.py."""
import argparse
import csv
import math
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy, pad

WINDOW, BATCH, EPOCHS = 64, 256, 5
START, UNKNOWN = 0, 1  # then the roles, or states, of train.csv
csv.field_size_limit(1 << 30)


class CausalBlock(nn.Module):
    """Two convolutions that see only earlier rows, and a residual."""

    def __init__(self, channels, width, dilation, dropout):
        super().__init__()
        self.reach = (width - 1) * dilation
        self.convolutions = nn.ModuleList(nn.Conv1d(channels, channels, width, dilation=dilation) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm1d(channels) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        y = x
        for convolution, norm in zip(self.convolutions, self.norms):
            y = torch.relu(norm(self.dropout(convolution(pad(y, (self.reach, 0))))))
        return x + y


class Features(nn.Module):
    """Of each row: its role and state by embeddings, its CPU and the time since the row before."""

    def __init__(self, roles, states, role_width, state_width):
        super().__init__()
        self.role = nn.Embedding(roles, role_width)
        self.state = nn.Embedding(states, state_width)
        self.width = role_width + state_width + 2

    def forward(self, roles, states, numbers):
        return torch.cat([self.role(roles), self.state(states), numbers], dim=-1)


class Tcn(nn.Module):
    def __init__(self, roles, states):
        super().__init__()
        self.features = Features(roles, states, 32, 8)
        self.widen = nn.Linear(self.features.width, 128)
        self.blocks = nn.Sequential(*(CausalBlock(128, 3, 2**i, 0.1) for i in range(6)))
        self.out = nn.Linear(128, roles)

    def forward(self, *rows):
        x = self.widen(self.features(*rows)).transpose(1, 2)
        return self.out(self.blocks(x).transpose(1, 2))


class Lstm(nn.Module):
    def __init__(self, roles, states):
        super().__init__()
        self.features = Features(roles, states, 64, 16)
        self.lstm = nn.LSTM(self.features.width, 256, num_layers=3, dropout=0.2, batch_first=True)
        self.out = nn.Linear(256, roles)

    def forward(self, *rows):
        return self.out(self.lstm(self.features(*rows))[0])


@dataclass
class Trace:
    """The rows of a trace in the order of time. A row is seen by those after it."""
    workload: str
    roles: list = field(default_factory=list)
    states: list = field(default_factory=list)
    numbers: list = field(default_factory=list)
    candidates: list = field(default_factory=list)  # None: there was no choice
    chosen: list = field(default_factory=list)


def traces_of(path, role_number, state_number):
    """Roles and states that train.csv lacks are UNKNOWN."""
    traces, before = {}, {}
    with open(path, encoding="latin-1", newline="") as file:
        for row in csv.DictReader(file):
            name, time_ns = row["trace_id"], int(row["time_ns"])
            trace = traces.setdefault(name, Trace(row["workload_type"]))
            trace.roles.append(role_number(row["next_role"]))
            trace.states.append(state_number(row["prev_state"]))
            trace.numbers.append((float(row["cpu"]), (time_ns - before.get(name, time_ns)) / 1e9))
            is_choice = int(row["candidates"]) > 1
            trace.candidates.append([role_number(role) for role in row["candidate_roles"].split(" ")] if is_choice else None)
            trace.chosen.append(int(row["chosen"]) if row["chosen"] else None)
            before[name] = time_ns
    return list(traces.values())


def windows_of(traces):
    """Rows in windows of 2 * WINDOW: the first half is only seen, each row of the second half is answered from what lies before
    it. [(trace, number of the first row answered)], and tensors of what is seen and of the targets (-1: none)."""
    places, seen, targets = [], ([], [], []), []
    blank = START, START, (0.0, 0.0)
    for trace in traces:
        for first in range(0, len(trace.roles), WINDOW):
            places.append((trace, first))
            for kind, values in enumerate((trace.roles, trace.states, trace.numbers)):
                part = values[max(0, first - WINDOW - 1):first + WINDOW - 1]
                missing = max(0, WINDOW + 1 - first)
                seen[kind].append(([blank[kind]] * missing + part + [blank[kind]] * 2 * WINDOW)[:2 * WINDOW])
            part = trace.roles[first:first + WINDOW]
            targets.append([-1] * WINDOW + part + [-1] * (WINDOW - len(part)))
    return places, tuple(torch.tensor(values) for values in seen), torch.tensor(targets)


def train(model, seen, targets, seconds):
    """Epochs and seconds of CPU time."""
    start, learnt = time.process_time(), 0
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    model.train()
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(targets)).split(BATCH // WINDOW):
            if time.process_time() - start >= seconds:
                break
            optimizer.zero_grad()
            logits = model(*(values[batch] for values in seen))
            cross_entropy(logits.flatten(0, 1), targets[batch].flatten(), ignore_index=-1).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            learnt += len(batch)
    return learnt / len(targets), time.process_time() - start


def answers_of(model, places, seen):
    """(trace, row, its most probable role, log of the shares of all roles) of each row with a choice."""
    model.eval()
    with torch.no_grad():
        for at in range(0, len(places), 16):
            logits = model(*(values[at:at + 16] for values in seen))[:, WINDOW:]
            logits[:, :, START] = -1e9
            found = zip(places[at:at + 16], logits.argmax(2).tolist(), torch.log_softmax(logits, 2).tolist())
            for (trace, first), roles, shares in found:
                for row in range(first, min(first + WINDOW, len(trace.roles))):
                    if trace.candidates[row]:
                        yield trace, row, roles[row - first], shares[row - first]


def measure(model, traces):
    """(share of next roles, log-loss, share of decisions, mean over workloads of that) of the rows with a choice."""
    places, seen, _ = windows_of(traces)
    by_workload = defaultdict(lambda: [0, 0, 0.0, 0])  # rows, roles, loss, decisions
    for trace, row, answer, shares in answers_of(model, places, seen):
        sums, target, candidates = by_workload[trace.workload], trace.roles[row], trace.candidates[row]
        best = max(range(len(candidates)), key=lambda i: (shares[candidates[i]], -i))
        sums[0] += 1
        sums[1] += target != UNKNOWN and answer == target
        sums[2] -= max(shares[target], math.log(1e-12))
        sums[3] += best == trace.chosen[row]
    rows, roles, loss, decisions = (sum(values) for values in zip(*by_workload.values()))
    mean = sum(sums[3] / sums[0] for sums in by_workload.values()) / len(by_workload)
    return roles / rows, loss / rows, decisions / rows, mean


def baselines(directory):
    script = Path(__file__).with_name("baselines.py")
    table = csv.DictReader(subprocess.run([sys.executable, script, "--csv", directory], check=True, text=True,
                                          stdout=subprocess.PIPE).stdout.splitlines())
    found = {(row["part"], row["target"], row["predictor"]): row for row in table
             if row["workload"] == "all" and row["of"] == "choice"}
    for part in ("test_seen", "test_unseen"):
        for predictor in dict.fromkeys(key[2] for key in found):
            values = [found.get((part, target, predictor)) for target in ("next_role", "decision")]
            shown = [f"{100 * float(value['top1']):.1f}" if value else "" for value in values]
            loss = values[0]["log_loss"] if values[0] else ""
            print(f"| {part} | {predictor} | {shown[0]} | {loss} | {shown[1]} | | |")


def numbering():
    """A function from a name to its number, which gives new names the next one, and one that gives them UNKNOWN."""
    numbers = {}
    return (lambda name: numbers.setdefault(name, len(numbers) + 2)), (lambda name: numbers.get(name, UNKNOWN)), numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    directory = Path(given.directory)
    (new_role, known_role, roles), (new_state, known_state, states) = numbering(), numbering()
    _, seen, targets = windows_of(traces_of(directory / "train.csv", new_role, new_state))
    tests = {part: traces_of(directory / f"{part}.csv", known_role, known_state) for part in ("test_seen", "test_unseen")}
    tests = {part: traces for part, traces in tests.items() if any(any(trace.candidates) for trace in traces)}
    print("| part | predictor | next role % | log-loss | decision % | mean over workloads % | training |")
    print("|---|---|--:|--:|--:|--:|---|")
    baselines(given.directory)
    for seed in range(1, given.seeds + 1):
        for kind in (Tcn, Lstm):
            torch.manual_seed(seed)
            model = kind(len(roles) + 2, len(states) + 2)
            epochs, seconds = train(model, seen, targets, given.seconds)
            for part, traces in tests.items():
                role, loss, decision, mean = measure(model, traces)
                print(f"| {part} | {kind.__name__} | {100 * role:.1f} | {loss:.3f} | {100 * decision:.1f} | {100 * mean:.1f} | "
                      f"seed {seed}, {epochs:.1f} epochs, {seconds:.0f} s |", flush=True)


if __name__ == "__main__":
    main()
