# Copies of a model's weights: every best one or only the best (early stopping), a list of them to average in the end or a moving average.
# truth: {"leak": true, "args": ["every-best"], "needs": ["torch"], "culprit": "main|python|tensor|best", "slope": [262000, 415000], "per": "iteration", "why": "264 kB stay in each step; beside them the allocator has holes of half as much, which nothing fills"}
# truth: {"leak": false, "args": ["only-best"], "needs": ["torch"]}
# truth: {"leak": true, "args": ["snapshots"], "needs": ["torch"], "culprit": "main|python|tensor|snapshots", "slope": [50000, 68000], "per": "iteration", "why": "a copy of 264 kB in every fifth step"}
# truth: {"leak": false, "args": ["average"], "needs": ["torch"]}
import copy
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
mode = sys.argv[1]
model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.Tanh(), torch.nn.Linear(256, 128))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
inputs = torch.randn(64, 128)
targets = 0.5 * inputs.roll(1, 1)
best, best_loss, snapshots = [], float("inf"), []
average = copy.deepcopy(model.state_dict())
STEPS = 220
for step in range(STEPS):
    optimizer.zero_grad()
    loss = (model(inputs) - targets).square().mean()
    loss.backward()
    optimizer.step()
    if loss.item() < best_loss:  # a whole batch and a small rate: so it is in every step
        best_loss = loss.item()
        if mode == "only-best":
            best = [copy.deepcopy(model.state_dict())]
        elif mode == "every-best":
            best.append(copy.deepcopy(model.state_dict()))
    if mode == "snapshots" and step % 5 == 0:
        snapshots.append({name: value.clone() for name, value in model.state_dict().items()})
    if mode == "average":
        for name, value in model.state_dict().items():
            average[name].lerp_(value, 0.01)
    time.sleep(0.035)
    print(f"step {step + 1}/{STEPS} loss {loss.item():.6f} best {len(best)}", flush=True)
