# truth: {"cause": "loading", "ends": 1, "record": ["--gpu-limit", "2GiB"]}
# A training that goes on from a checkpoint read straight to the card, and makes a second model for its moving average.
import copy
import os
import tempfile

import torch
from torch import nn


def network():
    blocks = [nn.Sequential(nn.Linear(2048, 8192), nn.GELU(), nn.Linear(8192, 2048)) for _ in range(5)]
    return nn.Sequential(*blocks, nn.LayerNorm(2048), nn.Linear(2048, 10))


torch.manual_seed(0)
path = os.path.join(tempfile.mkdtemp(), "last.pt")
torch.save({"epoch": 7, "model": network().state_dict()}, path)
print("checkpoint of epoch 7 is there", flush=True)

try:
    checkpoint = torch.load(path, map_location="cuda")
finally:
    os.remove(path)
    os.rmdir(os.path.dirname(path))
with torch.device("cuda"):
    model = network()
model.load_state_dict(checkpoint["model"])
print(f"resumed from epoch {checkpoint['epoch']}", flush=True)
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(100):
    x, y = torch.randn(32, 2048, device="cuda"), torch.randint(0, 10, (32,), device="cuda")
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for kept, now in zip(average.parameters(), model.parameters()):
        kept.lerp_(now.detach(), 0.001)
    print(f"step {step} loss {loss.item():.3f}", flush=True)
