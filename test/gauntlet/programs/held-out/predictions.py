# An evaluation that collects the model's outputs with their graphs, or only how many were right; there is no optimizer.
# truth: {"leak": true, "args": ["outputs"], "needs": ["torch"], "culprit": ["graph|tensors", "outputs"], "slope": [250000, 900000], "per": "iteration"}
# truth: {"leak": false, "args": ["counts"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(128, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
outputs, right = [], 0
STEPS = 200
for step in range(STEPS):
    output = model(torch.randn(64, 128))
    right += int((output.argmax(1) == 3).sum())
    if sys.argv[1] == "outputs":
        outputs.append(output)
    time.sleep(0.03)
    print(f"batch {step + 1}/{STEPS} accuracy {right / 64 / (step + 1):.4f}", flush=True)
