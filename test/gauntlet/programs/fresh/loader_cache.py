# Workers of a DataLoader that live on keep each sample they made ready: by index and augmentation, or by index.
# truth: {"leak": true, "args": ["by-augmentation"], "needs": ["torch"], "culprit": "worker|loader|child", "slope": [700000, 1100000], "per": "second", "why": "forty samples a second of 20 kB, in two workers"}
# truth: {"leak": false, "args": ["by-index"], "needs": ["torch"], "why": "400 samples, all of them ready after the first epoch of 10 seconds"}
import random
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

BY_INDEX = sys.argv[1] == "by-index"


class Samples(Dataset):
    def __init__(self):
        self.ready = {}

    def __len__(self):
        return 400

    def __getitem__(self, index):
        key = index if BY_INDEX else (index, random.random())
        if key not in self.ready:
            self.ready[key] = torch.randn(5000) + index
        return self.ready[key]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Samples(), batch_size=8, num_workers=2, persistent_workers=True)
    began, seen, loss = time.monotonic(), 0, 0.0
    for epoch in range(5):
        for number, batch in enumerate(loader):
            loss = 0.9 * loss + 0.1 * float(batch.var())
            seen += len(batch)
            if number % 10 == 0:
                print(f"Epoch: [{epoch}][{number}/{len(loader)}] Loss {loss:.3f}", flush=True)
            time.sleep(max(0, began + seen / 40 - time.monotonic()))


main()
