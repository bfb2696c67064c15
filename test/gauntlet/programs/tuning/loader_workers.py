# A dataset that remembers every sample it has read, in the workers of a data loader (fork or spawn).
# truth: {"leak": true, "args": ["remember", "fork"], "needs": ["torch"], "culprit": "loader", "slope": [480000, 1200000], "per": "iteration"}
# truth: {"leak": false, "args": ["forget", "fork"], "needs": ["torch"]}
# truth: {"leak": true, "args": ["remember", "spawn"], "needs": ["torch"], "culprit": "loader", "slope": [480000, 1200000], "per": "iteration"}
# truth: {"leak": false, "args": ["forget", "spawn"], "needs": ["torch"]}
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Remembering(Dataset):
    def __init__(self):
        self.seen = {}

    def __len__(self):
        return 3200

    def __getitem__(self, index):
        sample = torch.full((16_384,), float(index))
        if sys.argv[1] == "remember":
            self.seen[index] = sample.clone()
        return sample


def main():
    torch.set_num_threads(1)
    loader = DataLoader(Remembering(), batch_size=8, num_workers=2, multiprocessing_context=sys.argv[2])
    model = torch.nn.Linear(16_384, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    for step, batch in enumerate(loader):
        optimizer.zero_grad()
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        time.sleep(0.015)
        print(f"step {step + 1}/{len(loader)} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
