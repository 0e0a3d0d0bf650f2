# SPDX-License-Identifier: MIT
"""The TCN and the LSTM of choice_models.py. They turn the columns of the candidates chosen in earlier rows into a
context, in windows of WINDOW rows of a trace; the context and a candidate's columns give its score. Layers and sizes
follow those of github.com/mmarcotullio/KernelOracle. The number of training steps is fixed, not the time, so that all
machines get the same table. Needs Debian's python3-torch."""
import numpy
import torch
from torch import nn
from torch.nn.functional import pad

WINDOW, BATCH, WIDTH, HIDDEN, SEED = 64, 16, 64, 32, 1
torch.set_num_threads(1)  # sums do not depend on the number of cores


class Tcn(nn.Module):
    """Two causal convolutions per block, which see only earlier rows, and a residual."""

    def __init__(self, inputs):
        super().__init__()
        self.widen = nn.Linear(inputs, WIDTH)
        self.convolutions = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 3, dilation=2 ** (i // 2)) for i in range(8))

    def forward(self, rows):
        x = self.widen(rows).transpose(1, 2)
        for first, second in zip(self.convolutions[::2], self.convolutions[1::2]):
            y = x
            for layer in (first, second):
                y = torch.relu(layer(pad(y, (2 * layer.dilation[0], 0))))
            x = x + y
        return x.transpose(1, 2)


class Lstm(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.lstm = nn.LSTM(inputs, WIDTH, num_layers=2, batch_first=True)

    def forward(self, rows):
        return self.lstm(rows)[0]


class Network:
    """A model of choice_models.py: learns from Candidates, gives a score per candidate."""

    def __init__(self, kind, train, steps):
        torch.manual_seed(SEED)
        features = numpy.nan_to_num(train.matrix)
        self.mean, self.scale = features.mean(axis=0), features.std(axis=0)
        self.scale[self.scale == 0] = 1
        self.history = kind(features.shape[1])
        # A row has up to 64 candidates: keep the computation for each small.
        self.of_context, self.of_candidate = nn.Linear(WIDTH, HIDDEN), nn.Linear(features.shape[1], HIDDEN)
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
        self.modules = nn.ModuleList([self.history, self.of_context, self.of_candidate, self.head])
        self.learn(train, steps)

    def normal(self, candidates):
        values = (numpy.nan_to_num(candidates.matrix) - self.mean) / self.scale
        return torch.tensor(numpy.clip(values, -10, 10), dtype=torch.float32)

    def windows(self, candidates):
        """Numbers of consecutive rows of one trace, at most WINDOW."""
        ends = numpy.flatnonzero(numpy.diff(candidates.traces, append=-1)) + 1
        for first, last in zip([0, *ends[:-1]], ends):
            yield from (range(at, min(at + WINDOW, last)) for at in range(first, last, WINDOW))

    def score(self, candidates, features, windows):
        """(numbers of the windows' candidates, a score for each, the row of each in the order of the windows)"""
        chosen = features[numpy.flatnonzero(candidates.is_chosen)]
        before = torch.zeros(len(windows), WINDOW, features.shape[1])
        for place, window in enumerate(windows):
            before[place, 1:len(window)] = chosen[window.start:window.stop - 1]
        context = self.history(before)
        context = torch.cat([context[place, :len(window)] for place, window in enumerate(windows)])
        rows = numpy.concatenate([numpy.arange(window.start, window.stop) for window in windows])
        counts = candidates.counts[rows]
        row = numpy.repeat(numpy.arange(len(rows)), counts)
        at = numpy.arange(counts.sum()) - numpy.repeat(numpy.cumsum(counts) - counts, counts) + candidates.starts[rows][row]
        row = torch.from_numpy(row)
        return at, self.head(self.of_candidate(features[at]) + self.of_context(context)[row])[:, 0], row

    def learn(self, train, steps):
        features, windows = self.normal(train), list(self.windows(train))
        optimizer = torch.optim.AdamW(self.modules.parameters(), lr=2e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
        order = torch.cat([torch.randperm(len(windows)) for _ in range(-(-steps * BATCH // len(windows)))])
        for batch in order.split(BATCH)[:steps]:
            at, scores, row = self.score(train, features, [windows[i] for i in batch.tolist()])
            starts = numpy.flatnonzero(numpy.diff(row.numpy(), prepend=-1))
            greatest = torch.from_numpy(numpy.maximum.reduceat(scores.detach().numpy(), starts))
            sums = torch.zeros(len(starts)).index_add(0, row, torch.exp(scores - greatest[row]))
            loss = (torch.log(sums) + greatest - scores[torch.from_numpy(train.is_chosen[at])]).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.modules.parameters(), 1.0)
            optimizer.step()
            schedule.step()

    def scores(self, candidates):
        features, windows = self.normal(candidates), list(self.windows(candidates))
        found = numpy.empty(len(candidates.row))
        with torch.no_grad():
            for first in range(0, len(windows), BATCH):
                at, scores, _ = self.score(candidates, features, windows[first:first + BATCH])
                found[at] = scores.numpy()
        return found
