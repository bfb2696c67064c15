# truth: {"cause": "no-problem-seen", "args": ["layers"], "record": ["--layers"], "held": "activation", "quiet": true}
# truth: {"cause": "no-problem-seen", "args": ["plain"], "held": "activation", "quiet": true}
# A compiled model whose blocks are checkpointed.
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(x)))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(torch.compile(Block()) for _ in range(4))
        self.head = nn.Linear(1024, 100)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


torch.manual_seed(0)
model = Model().cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(40):
    x, y = torch.randn(16_384, 1024, device="cuda"), torch.randint(0, 100, (16_384,), device="cuda")
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
