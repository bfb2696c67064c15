# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A U-Net on satellite tiles of 1024 by 1024 pixels, four at a time.
import torch
from torch import nn


def double(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
        nn.Conv2d(outside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.downs = nn.ModuleList(double(a, b) for a, b in zip((4, *widths), widths))
        pairs = list(zip(widths[::-1], widths[-2::-1]))
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, stride=2) for a, b in pairs)
        self.merges = nn.ModuleList(double(2 * b, b) for _, b in pairs)
        self.head = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(nn.functional.max_pool2d(x, 2) if skips else x)
            skips.append(x)
        for up, merge, skip in zip(self.ups, self.merges, skips[-2::-1]):
            x = merge(torch.cat([up(x), skip], 1))
        return self.head(x)


torch.manual_seed(0)
model = UNet().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(10):
    tiles = torch.randn(4, 4, 1024, 1024, device="cuda")
    roofs = (torch.rand(4, 1, 1024, 1024, device="cuda") > 0.8).float()
    loss = nn.functional.binary_cross_entropy_with_logits(model(tiles), roofs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
