# truth: {"cause": "context", "ends": 1, "alone": true}
# JAX prepares the data in the same process, and takes three quarters of the card for itself at its first array, as it does unless told.
import jax
import torch
from torch import nn

print("prepared", float(jax.numpy.ones((1000, 1000)).sum()), flush=True)
torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(16) for m in (nn.Linear(4096, 4096), nn.GELU())]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in (4096, 16_384, 98_304):
    for step in range(3):
        loss = model(torch.randn(batch, 4096, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"batch of {batch}: loss {loss.item():.3f}", flush=True)
