# truth: {"cause": "loading", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A checkpoint is loaded straight to the card, beside the model that is there already.
import os
import tempfile

import torch
from torch import nn


def build():
    return nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(24)])


path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
torch.save({"model": build().state_dict(), "step": 100}, path)
model = build().cuda()
checkpoint = torch.load(path, map_location="cuda")
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(checkpoint["step"], checkpoint["step"] + 5):
    loss = model(torch.randn(8, 4096, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
os.remove(path)
