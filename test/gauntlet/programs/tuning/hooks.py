# A forward hook that stores activations: one for each step, or one that is taken off again.
# truth: {"leak": true, "args": ["stay"], "needs": ["torch"], "culprit": ["tensors|graph|activations", "activations"], "slope": [130000, 700000], "per": "iteration"}
# truth: {"leak": false, "args": ["removed"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
layer = torch.nn.Linear(256, 512)
model = torch.nn.Sequential(layer, torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
activations = {}
STEPS = 200
for step in range(STEPS):

    def keep(module, inputs, output, step=step):
        activations[step if sys.argv[1] == "stay" else "last"] = output.detach()

    handle = layer.register_forward_hook(keep)
    loss = model(torch.randn(64, 256)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    handle.remove()
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS} loss {loss.item():.4f}", flush=True)
