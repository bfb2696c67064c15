# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "2GiB"]}
# The hidden state is carried from batch to batch without detach(): the graph reaches back to the first one.
import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.GRUCell(512, 1024).cuda(), nn.Linear(1024, 512).cuda()
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=1e-9)
state = torch.zeros(256, 1024, device="cuda")
for step in range(3000):
    x = torch.randn(256, 512, device="cuda")
    state = cell(x, state)
    loss = head(state).square().mean()
    if step % 20 == 0:
        head.weight.grad = torch.autograd.grad(loss, head.weight, retain_graph=True)[0]
        print(f"step {step} loss {loss.item():.3f}", flush=True)
