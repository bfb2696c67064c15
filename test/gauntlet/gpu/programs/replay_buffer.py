# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "2GiB"], "held": "memory|Buffer"}
# An agent's experience is kept on the card, without a limit.
import random

import torch
from torch import nn


class Buffer:
    def __init__(self):
        self.memory = []

    def add(self, state, action, reward):
        self.memory.append((state, action, reward))

    def sample(self, n):
        chosen = random.sample(self.memory, n)
        return torch.stack([s for s, _, _ in chosen]), torch.stack([r for _, _, r in chosen])


torch.manual_seed(0)
policy = nn.Sequential(nn.Flatten(), nn.Linear(84 * 84 * 4, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
optimizer = torch.optim.Adam(policy.parameters())
buffer = Buffer()
for step in range(4000):
    for _ in range(8):
        buffer.add(torch.rand(4, 84, 84, device="cuda"), torch.zeros(1, device="cuda"), torch.rand(1, device="cuda"))
    states, rewards = buffer.sample(min(32, len(buffer.memory)))
    loss = nn.functional.mse_loss(policy(states), rewards)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
