# truth: {"cause": "loading", "ends": 1, "record": ["--gpu-limit", "2150MiB"]}
# A regression that saves its best state to disk, and goes back to it with a smaller rate when the loss no longer falls.
# 75 million parameters, W = 288 MiB: weights, gradients and two tensors of Adam's state are 4 W (fused: a step makes no
# copies), and a batch of 128 takes some 50 MiB: 1.2 GiB, of 1.6 that torch has. The file's tensors come back to the card they
# were saved from: 3 W beside 4 W, 2 GiB.
import os
import tempfile

import torch
from torch import nn


def save(path):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


def go_back(path):
    best = torch.load(path)
    model.load_state_dict(best["model"])
    optimizer.load_state_dict(best["optimizer"])
    for group in optimizer.param_groups:
        group["lr"] /= 2


torch.manual_seed(0)
with torch.device("cuda"):
    hidden = [nn.Sequential(nn.Linear(3072, 3072), nn.LayerNorm(3072), nn.SiLU()) for _ in range(8)]
    model = nn.Sequential(*hidden, nn.Linear(3072, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
with tempfile.TemporaryDirectory() as folder:
    best_path = os.path.join(folder, "best.pt")
    lowest, since = float("inf"), 0
    for epoch in range(60):
        total = 0.0
        for _ in range(10):
            rows = torch.randn(128, 3072, device="cuda")
            loss = nn.functional.mse_loss(model(rows).squeeze(-1), torch.randn(128, device="cuda"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() / 10
        print(f"epoch {epoch} loss {total:.4f}", flush=True)
        if total < lowest - 0.3:
            lowest, since = total, 0
            save(best_path)
        else:
            since += 1
        if since == 5:
            print(f"no better than {lowest:.4f} for {since} epochs", flush=True)
            go_back(best_path)
            since = 0
