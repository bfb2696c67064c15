# truth: {"cause": "graph-pools", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"]}
# A text encoder in half precision that replays CUDA graphs: lengths are rounded up to 16, and each has a graph of its own.
# Four layers of width 1024: 0.1 GB. A pass over 32 texts of 256 tokens takes about 0.2 GB, which an eager pass gives back and
# which stays in the pool that each capture gets for itself: lengths of 64 to 512 are 29 graphs, 6 GB; one eager pass of 512
# takes 0.4 GB.
import random

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, TEXTS = 1024, 16, 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv(self.before(x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


class Encoder:
    def __init__(self):
        self.model = nn.Sequential(nn.Embedding(8000, WIDTH), *(Block() for _ in range(4))).cuda().half().eval()
        self.captured = {}
        self.side = torch.cuda.Stream()

    def capture(self, length):
        tokens = torch.zeros(TEXTS, length, dtype=torch.long, device="cuda")
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            self.model(tokens)
        torch.cuda.current_stream().wait_stream(self.side)
        torch.cuda.empty_cache()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            vectors = self.model(tokens).mean(1)
        print(f"graph for {length} tokens", flush=True)
        self.captured[length] = graph, tokens, vectors

    @torch.inference_mode()
    def __call__(self, texts):
        length = -(-texts.shape[1] // 16) * 16
        if length not in self.captured:
            self.capture(length)
        graph, tokens, vectors = self.captured[length]
        tokens.zero_()
        tokens[:, : texts.shape[1]].copy_(texts)
        graph.replay()
        return vectors.float().cpu()


torch.manual_seed(0)
rng = random.Random(0)
encoder = Encoder()
for request in range(600):
    encoder(torch.randint(0, 8000, (TEXTS, rng.randint(50, 512)), device="cuda"))
