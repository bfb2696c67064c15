# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "held": "cache"}
# An image encoder remembers the features of each picture it has seen.
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU())
        self.cache = {}

    def features(self, name, picture):
        if name not in self.cache:
            self.cache[name] = self.body(picture[None])
        return self.cache[name]


torch.manual_seed(0)
encoder = Encoder().cuda().eval()
with torch.no_grad():
    for number in range(20_000):
        picture = torch.rand(3, 224, 224, device="cuda")
        score = encoder.features(f"img{number:05}.jpg", picture).mean().item()
        if number % 200 == 0:
            print("picture", number, f"{score:.3f}", flush=True)
