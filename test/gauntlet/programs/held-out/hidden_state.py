# A hidden state that is carried over without detach(): each step's graph hangs on the one before it.
# truth: {"leak": true, "args": ["carried"], "needs": ["torch"], "culprit": ["graph|tensors", "hidden"], "slope": [100000, 1500000], "per": "iteration"}
# truth: {"leak": false, "args": ["detached"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
cell = torch.nn.GRUCell(64, 256)
head = torch.nn.Linear(256, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=1e-3)
hidden = torch.zeros(32, 256)
STEPS = 200
for step in range(STEPS):
    hidden = cell(torch.randn(32, 64), hidden)
    if sys.argv[1] == "detached":
        hidden = hidden.detach()
    loss = head(hidden.detach()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS} loss {loss.item():.4f}", flush=True)
