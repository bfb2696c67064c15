"""Four ranks of a small training on the processor. Rank 2 keeps every batch that it saw."""

import os
import subprocess
import sys
import time

RANKS = 4
STEPS = 24


def train(rank):
    import torch

    torch.manual_seed(rank)
    model = torch.nn.Sequential(torch.nn.Linear(2048, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
    optimizer = torch.optim.Adam(model.parameters())
    seen = []
    for step in range(1, STEPS + 1):
        batch = torch.randn(1024, 2048)
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if rank == 2:
            seen.append(batch)
        print(f"Iteration {step}", flush=True)
        time.sleep(0.05)


if "RANK" in os.environ:
    train(int(os.environ["RANK"]))
else:
    job = [
        subprocess.Popen(
            [sys.executable, __file__],
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(RANKS), "OMP_NUM_THREADS": "1"},
        )
        for rank in range(RANKS)
    ]
    sys.exit(max(one.wait() for one in job))
