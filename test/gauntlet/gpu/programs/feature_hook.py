# truth: {"cause": "kept-tensors", "args": ["dies"], "ends": 1, "record": ["--gpu-limit", "2GiB"], "held": "seen|FeatureLog"}
# truth: {"cause": "leak", "args": ["lives"], "held": "seen|FeatureLog"}
# A forward hook keeps what a layer returned.
import sys

import torch
from torch import nn


class FeatureLog:
    def __init__(self):
        self.seen = []

    def __call__(self, module, inputs, output):
        self.seen.append(output)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 10)).cuda()
log = FeatureLog()
model[1].register_forward_hook(log)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(400 if sys.argv[1] == "lives" else 4000):
    x, y = torch.randn(512, 512, device="cuda"), torch.randint(0, 10, (512,), device="cuda")
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
