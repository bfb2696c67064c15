# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A vision transformer in bf16 with gradient accumulation: trained at 128 pixels, then at 320 with the same micro-batch.
import torch
from torch import nn

WIDTH, HEADS, PATCH = 512, 8, 16


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.places = nn.Parameter(torch.randn(400, WIDTH) * 0.02)
        self.blocks = nn.Sequential(*(Block() for _ in range(8)))
        self.head = nn.Linear(WIDTH, 1000)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        return self.head(self.blocks(x + self.places[: x.shape[1]]).mean(1))


torch.manual_seed(0)
model = ViT().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for pixels in (128, 320):
    for step in range(5):
        optimizer.zero_grad()
        for micro in range(4):
            images, labels = torch.randn(64, 3, pixels, pixels), torch.randint(0, 1000, (64,))
            with torch.autocast("cuda", torch.bfloat16):
                loss = nn.functional.cross_entropy(model(images.cuda()), labels.cuda()) / 4
            loss.backward()
        optimizer.step()
        print(f"{pixels} px, step {step} loss {4 * loss.item():.3f}", flush=True)
