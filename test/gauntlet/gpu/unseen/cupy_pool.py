# truth: {"cause": "context", "ends": 1, "alone": true}
# Features are made with CuPy, whose pool keeps what its arrays gave back; torch then finds a card that is nearly full.
import cupy
import torch
from torch import nn

total = torch.cuda.get_device_properties(0).total_memory
rows = int(total * 0.8) // (4096 * 4 * 2)
features = cupy.random.random((rows, 4096), dtype=cupy.float32)
features = features / cupy.linalg.norm(features[:1000])
print("features", features.shape, "mean", float(features[0].mean()), flush=True)
small = torch.from_dlpack(features[:65_536].copy())
del features
model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(4096, 4096), nn.GELU())]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for batch in (1024, 8192, 65_536):
    loss = model(small[:batch]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"batch of {batch}: loss {loss.item():.3f}", flush=True)
