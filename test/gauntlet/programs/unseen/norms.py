# A history of gradient norms, one small tensor for each parameter, or one number for all;
# and an inference that keeps its logits (there is no graph), or counts the classes.
# truth: {"leak": true, "args": ["norm-tensors"], "needs": ["torch"], "culprit": "main|python|tensor|norms", "slope": [38000, 52000], "per": "iteration"}
# truth: {"leak": false, "args": ["norm-number"], "needs": ["torch"]}
# truth: {"leak": true, "args": ["logits"], "needs": ["torch"], "culprit": "main|python|tensor|logits", "slope": [127000, 145000], "per": "iteration"}
# truth: {"leak": false, "args": ["classes"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
mode = sys.argv[1]
STEPS = 220


def train():
    layers = [torch.nn.Linear(32, 32) for _ in range(40)]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    norms, total = [], 0.0
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = (model(torch.randn(16, 32)) - 1).square().mean()
        loss.backward()
        optimizer.step()
        grads = [parameter.grad.norm() for parameter in model.parameters()]
        if mode == "norm-tensors":
            norms.append(grads)
        else:
            total = sum(norm.item() ** 2 for norm in grads) ** 0.5
        time.sleep(0.02)
        print(f"step {step + 1}/{STEPS} loss {loss.item():.4f} norm {total:.4f}", flush=True)


def infer():
    model = torch.nn.Linear(64, 1000).eval()
    logits, classes = [], torch.zeros(1000, dtype=torch.long)
    with torch.inference_mode():
        for step in range(STEPS):
            output = model(torch.randn(32, 64))
            if mode == "logits":
                logits.append(output)
            else:
                classes += torch.bincount(output.argmax(1), minlength=1000)
            time.sleep(0.035)
            print(f"batch {step + 1}/{STEPS} top {output.max().item():.4f}", flush=True)


train() if mode.startswith("norm") else infer()
