# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "2GiB"], "held": "history"}
# Losses are collected with their graphs.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 256)).cuda()
optimizer = torch.optim.Adam(model.parameters())
history = []
for step in range(3000):
    x = torch.randn(128, 256, device="cuda")
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(nn.functional.l1_loss(model(x), x))
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
