# truth: {"cause": "optimizer-state", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A recommender of two towers: tables of a million users and two million items, under Adam.
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self, rows, width=64):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.mlp = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, 32))

    def forward(self, ids):
        return nn.functional.normalize(self.mlp(self.table(ids)), dim=-1)


torch.manual_seed(0)
with torch.device("cuda"):
    users, items = Tower(1_000_000), Tower(2_000_000)
optimizer = torch.optim.Adam([*users.parameters(), *items.parameters()], lr=1e-3)
for step in range(20):
    user = torch.randint(0, 1_000_000, (1024,), device="cuda")
    item = torch.randint(0, 2_000_000, (1024,), device="cuda")
    scores = users(user) @ items(item).T / 0.05
    loss = nn.functional.cross_entropy(scores, torch.arange(1024, device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
    optimizer.step()
