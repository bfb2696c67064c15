# `total = total + loss`: one scalar keeps the graph of every iteration. The graphs are small; what malloc gives back between them is not.
# truth: {"leak": true, "args": ["graph"], "needs": ["torch"], "culprit": ["graph|tensors", "total"], "slope": [4000, 500000], "per": "iteration"}
# truth: {"leak": false, "args": ["item"], "needs": ["torch"], "quick": true}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
total = torch.zeros(())
STEPS = 240
for step in range(STEPS):
    loss = model(torch.randn(64, 256)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if sys.argv[1] == "graph":
        total = total + loss
    else:
        total += loss.item()
    time.sleep(0.02)
    if step % 10 == 9:
        print(f"step {step + 1}/{STEPS} running loss {float(total) / (step + 1):.4f}", flush=True)
