# truth: {"cause": "limit", "ends": 1}
# A training on a card that a team shares: each takes a small share of it, and this one needs more than its share.
import torch
from torch import nn

SHARE = 0.015


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip

    def forward(self, x):
        return nn.functional.relu(x + self.body(x))


torch.manual_seed(0)
torch.cuda.set_per_process_memory_fraction(SHARE)
total = torch.cuda.get_device_properties(0).total_memory
print(f"my share: {SHARE * total / 2**30:.1f} GiB", flush=True)
model = nn.Sequential(
    nn.Conv2d(3, 64, 7, stride=4, padding=3), Residual(64), Residual(64), Residual(64),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 1000),
).cuda()  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for batch in (32, 64, 128, 256, 512):
    images, labels = torch.randn(batch, 3, 224, 224, device="cuda"), torch.randint(0, 1000, (batch,), device="cuda")
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"batch of {batch}: loss {loss.item():.3f}", flush=True)
