# truth: {"cause": "optimizer-state", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# Model and gradients fit; Adam's state, which is made in the first step, does not.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(16)]).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(5):
    loss = model(torch.randn(8, 4096, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
