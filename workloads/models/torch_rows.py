#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_rows.py FILE.csv: rows of `build --task pick` for torch.utils.data.DataLoader. Each item is a decision: the
columns of its candidates (CANDIDATES x COLUMNS, unknown values are 0), which of these rows are candidates, and the
number of the one that was chosen. With several workers each reads its part of the rows."""
import csv
import sys

import torch

COLUMNS = ("candidate_waiting_ns", "candidate_slice_ns", "candidate_runtime_ns", "candidate_share_ppm", "candidate_prios",
           "candidate_woken_by_prev")
CANDIDATES = 64  # more are not in the lists


class Decisions(torch.utils.data.IterableDataset):
    def __init__(self, path):
        super().__init__()
        self.path = path

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        with open(self.path, encoding="latin-1", newline="") as file:
            for number, row in enumerate(csv.DictReader(file)):
                if number % step != first or not 0 <= int(row["chosen"] or -1) < CANDIDATES:
                    continue
                lists = [[0.0 if word == "-" else float(word) for word in row[name].split()] for name in COLUMNS]
                values = torch.zeros(CANDIDATES, len(COLUMNS))
                values[:len(lists[0])] = torch.tensor(lists).T
                yield values, torch.arange(CANDIDATES) < len(lists[0]), int(row["chosen"])


if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Decisions(sys.argv[1]), batch_size=256):
        print(*(tuple(part.shape) for part in batch))
