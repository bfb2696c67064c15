# An exponential moving average of the loss, over tensors with their graphs or over numbers.
# truth: {"leak": true, "args": ["tensor"], "needs": ["torch"], "culprit": ["graph|tensors", "average"], "slope": [30000, 900000], "per": "iteration"}
# truth: {"leak": false, "args": ["number"], "needs": ["torch"]}
import sys

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(128, 1024), torch.nn.Tanh(), torch.nn.Linear(1024, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
average = 0.0
STEPS = 300
for step in range(STEPS):
    prediction = model(torch.randn(48, 128))
    regular = prediction.abs().mean()
    loss = prediction.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen = regular if sys.argv[1] == "tensor" else regular.item()
    average = 0.98 * average + 0.02 * seen
    torch.randn(200, 200) @ torch.randn(200, 200)
    if step % 5 == 0:
        print(f"Iteration {step}/{STEPS}, loss = {float(average):.4f}", flush=True)
