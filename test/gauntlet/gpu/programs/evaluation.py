# truth: {"cause": "evaluation-with-gradients", "args": ["dies"], "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# truth: {"cause": "no-problem-seen", "args": ["lives"], "peak": "evaluation", "held": "activation"}
# A classifier is trained in small batches, and evaluated in large ones without torch.no_grad().
import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(1024, 1024), nn.GELU())], nn.Linear(1024, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def train(steps):
    model.train()
    for _ in range(steps):
        x, y = torch.randn(64, 1024, device="cuda"), torch.randint(0, 10, (64,), device="cuda")
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(0.005)
    return loss.item()


def evaluate(batch):
    model.eval()
    x, y = torch.randn(batch, 1024, device="cuda"), torch.randint(0, 10, (batch,), device="cuda")
    scores = model(x)
    return (scores.argmax(1) == y).float().mean().item()


for epoch in range(4):
    print("epoch", epoch, "loss", train(80))
    print("accuracy", evaluate(20_000 if sys.argv[1] == "dies" else 12_000))
