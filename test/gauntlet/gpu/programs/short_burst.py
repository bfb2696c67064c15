# truth: {"cause": "no-problem-seen", "held": "", "peakBytes": [9663676416, 10737418240]}
# Nine GiB for two milliseconds, once, in the middle of a steady run.
import time

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(300):
    loss = model(torch.randn(128, 1024, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 200:
        burst = torch.empty(9 << 30, dtype=torch.uint8, device="cuda")
        time.sleep(0.002)
        del burst
        torch.cuda.empty_cache()
    time.sleep(0.01)
print("done")
