# truth: {"cause": "other-process", "ends": 1, "alone": true, "beside": ["fills_card.py", "0.85"]}
# Another process has most of the card.
import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(20)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(20):
    x = torch.randn(49_152, 4096, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
