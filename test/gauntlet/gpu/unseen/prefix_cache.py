# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "held": "prefixes|PrefixCache"}
# A server that keeps the keys and values of every prompt by its hash, and never drops one.
import hashlib
import random
from collections import OrderedDict

import torch
from torch import nn

WIDTH, HEADS, LAYERS = 1024, 16, 12


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2).contiguous() for t in self.qkv(self.norm(x)).chunk(3, -1))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).flatten(2)), (k, v)


class PrefixCache:
    def __init__(self):
        self.prefixes = OrderedDict()

    def get(self, prompt, compute):
        key = hashlib.sha256(str(prompt).encode()).hexdigest()
        if key not in self.prefixes:
            self.prefixes[key] = compute(prompt)
        self.prefixes.move_to_end(key)
        return self.prefixes[key]


torch.manual_seed(0)
rng = random.Random(0)
embed = nn.Embedding(32_000, WIDTH).half().cuda()
layers = nn.ModuleList(Attention() for _ in range(LAYERS)).half().cuda().eval()
cache = PrefixCache()


@torch.inference_mode()
def prefill(prompt):
    x, kept = embed(torch.tensor([prompt], device="cuda")), []
    for layer in layers:
        x, pair = layer(x)
        kept.append(pair)
    return kept


asked = []
for request in range(400):
    if asked and rng.random() < 0.3:
        prompt = rng.choice(asked)
    else:
        prompt = [rng.randrange(32_000) for _ in range(rng.randrange(300, 1200))]
        asked.append(prompt)
    kept = cache.get(prompt, prefill)
    print(f"request {request}: {len(prompt)} tokens, {len(kept)} layers", flush=True)
