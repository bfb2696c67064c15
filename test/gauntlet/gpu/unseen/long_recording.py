# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A recurrent cell over heart recordings that get longer by a curriculum: backpropagation through time keeps all of it.
import torch
from torch import nn


class Rhythm(nn.Module):
    def __init__(self, leads=12, width=512):
        super().__init__()
        self.enter = nn.Linear(leads, 64)
        self.cell = nn.GRUCell(64, width)
        self.leave = nn.Linear(width, 5)
        self.width = width

    def forward(self, signal):
        state = signal.new_zeros(signal.shape[1], self.width)
        for sample in self.enter(signal):
            state = self.cell(sample, state)
        return self.leave(state)


torch.manual_seed(0)
model = Rhythm().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for length in (64, 128, 256, 2048):
    for step in range(3):
        signal = torch.randn(length, 256, 12, device="cuda")
        kind = torch.randint(0, 5, (256,), device="cuda")
        loss = nn.functional.cross_entropy(model(signal), kind)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"length {length} step {step} loss {loss.item():.3f}", flush=True)
