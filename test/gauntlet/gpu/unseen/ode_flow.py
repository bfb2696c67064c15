# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"], "public": ["torchdiffeq==0.2.5"]}
# A neural differential equation through torchdiffeq's odeint: finer steps of time, and each step's results wait for the backward pass.
import torch
from torch import nn
from torchdiffeq import odeint


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, 64))

    def forward(self, t, x):
        return self.net(x)


torch.manual_seed(0)
field = Field().to("cuda")
optimizer = torch.optim.Adam(field.parameters(), lr=1e-3)
for steps in (4, 8, 16, 32, 64, 128, 256):
    for _ in range(3):
        times = torch.linspace(0, 1, steps + 1, device="cuda")
        path = odeint(field, torch.randn(2048, 64, device="cuda"), times, method="rk4")
        loss = path[-1].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{steps} steps of time: loss {loss.item():.3f}", flush=True)
