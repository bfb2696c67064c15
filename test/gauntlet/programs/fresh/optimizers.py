# Each epoch has an optimizer of its own, with Adam's two moments for each weight: all are kept beside their losses, or none.
# truth: {"leak": true, "args": ["kept"], "needs": ["torch"], "culprit": "main|python|tensor|history", "slope": [1040000, 1400000], "per": "iteration", "why": "two moments of 131712 weights of four bytes, and what the allocator has beside them"}
# truth: {"leak": false, "args": ["dropped"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 128))
inputs = torch.randn(256, 128)
targets = inputs.roll(1, 1)
history = []
EPOCHS = 60
began = time.monotonic()
for epoch in range(EPOCHS):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 * 0.97**epoch)
    for batch in range(8):
        rows = torch.randint(0, 256, (32,))
        optimizer.zero_grad()
        loss = (model(inputs[rows]) - targets[rows]).square().mean()
        loss.backward()
        optimizer.step()
    history.append((loss.item(), optimizer if sys.argv[1] == "kept" else optimizer.param_groups[0]["lr"]))
    print(f"Epoch {epoch + 1}/{EPOCHS} - loss: {loss.item():.4f}", flush=True)
    time.sleep(max(0, began + 0.8 * (epoch + 1) - time.monotonic()))
