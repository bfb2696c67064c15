# truth: {"cause": "logits", "ends": 1, "record": ["--gpu-limit", "5GiB"]}
# A small language model with a large vocabulary: its logits are larger than all else.
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, words=128_000, width=256):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.body = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens))[0])


torch.manual_seed(0)
model = Small().cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step, batch in enumerate((2, 2, 4, 4, 6, 8, 8, 8)):
    tokens = torch.randint(0, 128_000, (batch, 513), device="cuda")
    logits = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
