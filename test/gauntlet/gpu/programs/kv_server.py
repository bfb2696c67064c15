# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "held": "sessions"}
# A server of a language model keeps each session's keys and values for good.
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width=512, heads=8):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, past):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(c, 2))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=past is None)
        return x + self.out(y.transpose(1, 2).reshape(b, t, c)), (k, v)


class Server:
    def __init__(self):
        self.embed = nn.Embedding(8000, 512).cuda().half()
        self.blocks = nn.ModuleList(Block() for _ in range(8)).cuda().half()
        self.sessions = {}

    @torch.inference_mode()
    def handle(self, session, tokens, answers=8):
        past = self.sessions.get(session, [None] * len(self.blocks))
        for _ in range(answers):
            x, now = self.embed(tokens), []
            for block, one in zip(self.blocks, past):
                x, kept = block(x, one)
                now.append(kept)
            past = now
            tokens = (x[:, -1:] @ self.embed.weight.T).argmax(-1)
        self.sessions[session] = past
        return tokens.item()


torch.manual_seed(0)
server = Server()
for number in range(5000):
    server.handle(f"user-{number}", torch.randint(0, 8000, (1, 200), device="cuda"))
    if number % 50 == 0:
        print("request", number, flush=True)
