# truth: {"cause": "no-problem-seen", "held": "parameter|clone", "peak": "checkpoint"}
# Each 100 steps a copy of model and optimizer is made on the card before it is written.
import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(2048, 2048) for _ in range(12)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(1, 301):
    loss = model(torch.randn(64, 2048, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        state = copy.deepcopy({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
        torch.save({name: list(one) for name, one in state.items()}, io.BytesIO())
        del state
        print(f"step {step} loss {loss.item():.3f}, saved", flush=True)
