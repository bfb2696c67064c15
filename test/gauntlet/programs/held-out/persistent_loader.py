# Persistent workers over several epochs, whose dataset caches by epoch and index, or by index alone (a cache that fills and is then full).
# truth: {"leak": true, "args": ["epoch"], "needs": ["torch"], "culprit": "loader", "slope": [240000, 400000], "per": "iteration"}
# truth: {"leak": false, "args": ["index"], "needs": ["torch"], "why": "after the first of eight epochs every sample is cached"}
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self):
        self.cache = {}
        self.reads = 0

    def __len__(self):
        return 320

    def __getitem__(self, index):
        self.reads += 1
        key = (self.reads, index) if sys.argv[1] == "epoch" else index
        if key not in self.cache:
            self.cache[key] = torch.full((4096,), float(index))
        return self.cache[key]


if __name__ == "__main__":
    torch.set_num_threads(1)
    loader = DataLoader(Cached(), batch_size=16, num_workers=1, persistent_workers=True)
    model = torch.nn.Linear(4096, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    for epoch in range(8):
        for step, batch in enumerate(loader):
            optimizer.zero_grad()
            loss = model(batch).mean()
            loss.backward()
            optimizer.step()
            time.sleep(0.03)
            print(f"Epoch {epoch + 1}/8 step {step + 1}/{len(loader)} loss {loss.item():.4f}", flush=True)
