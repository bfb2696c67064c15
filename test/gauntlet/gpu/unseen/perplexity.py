# truth: {"cause": "evaluation-with-gradients", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A small language model whose perplexity is taken every ten steps over one large batch, in eval mode but with gradients on.
import math

import torch
from torch import nn

VOCABULARY, WIDTH, HEADS, LENGTH = 2_000, 512, 8, 256


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norm2(x))


def loss_of(model, tokens):
    return nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def perplexity(model, tokens):
    model.eval()
    loss = loss_of(model, tokens)
    model.train()
    return math.exp(loss.item())


torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(VOCABULARY, WIDTH), *(Block() for _ in range(8)), nn.Linear(WIDTH, VOCABULARY)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
held_out = torch.randint(0, VOCABULARY, (64, LENGTH + 1))
for step in range(1, 41):
    loss = loss_of(model, torch.randint(0, VOCABULARY, (8, LENGTH + 1), device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
    if step % 10 == 0:
        print(f"perplexity {perplexity(model, held_out.cuda()):.1f}", flush=True)
