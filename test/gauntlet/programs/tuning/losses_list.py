# A list of validation losses, of which each keeps the graph of its iteration; its twin keeps numbers.
# truth: {"leak": true, "args": ["graphs"], "needs": ["torch"], "culprit": ["graph|tensors", "losses"], "slope": [250000, 800000], "per": "iteration"}
# truth: {"leak": false, "args": ["numbers"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256), torch.nn.ReLU())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
STEPS = 160
for step in range(STEPS):
    optimizer.zero_grad()
    loss = model(torch.randn(64, 256)).square().mean()
    loss.backward()
    optimizer.step()
    held_out = model(torch.randn(64, 256)).square().mean()
    losses.append(held_out if sys.argv[1] == "graphs" else held_out.item())
    time.sleep(0.03)
    print(f"epoch 1 step {step + 1}/{STEPS} loss {loss.item():.4f} val {float(losses[-1]):.4f}", flush=True)
