#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_rows.py DIR/FILE.csv: rows of `build --task pick`, keys, placement or balance for torch.utils.data.DataLoader.
Each item is a decision: the numbers of its candidates, or CPUs (a matrix CANDIDATES x columns; unknown values are 0), a
mask of the rows that are candidates, and the index of the chosen one. Several workers share the rows."""
import csv
import json
import sys
from pathlib import Path

import torch

CANDIDATES = 64  # more are not in the lists


class Decisions(torch.utils.data.IterableDataset):
    def __init__(self, path):
        super().__init__()
        self.path = path
        meta = json.loads(Path(path).with_name("dataset_meta.json").read_text(encoding="utf-8"))
        self.columns = [name for name, kind in zip(meta["csv_columns"], meta["column_types"]) if kind == "integers"]

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        with open(self.path, encoding="latin-1", newline="") as file:
            for number, row in enumerate(csv.DictReader(file)):
                if number % step != first or not 0 <= int(row["chosen"] or -1) < CANDIDATES:
                    continue
                lists = [[0.0 if word == "-" else float(word) for word in row[name].split()] for name in self.columns]
                values = torch.zeros(CANDIDATES, len(lists))
                values[:len(lists[0])] = torch.tensor(lists).T
                yield values, torch.arange(CANDIDATES) < len(lists[0]), int(row["chosen"])


if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Decisions(sys.argv[1]), batch_size=256):
        print(*(tuple(part.shape) for part in batch))
