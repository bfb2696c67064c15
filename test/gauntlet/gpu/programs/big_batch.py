# truth: {"cause": "activations", "args": ["eager"], "ends": 1, "record": ["--gpu-limit", "4GiB"]}
# truth: {"cause": "activations", "args": ["bf16"], "ends": 1, "record": ["--gpu-limit", "2500MiB"]}
# truth: {"cause": "no-problem-seen", "args": ["fits"], "held": "activation"}
# A transformer whose batch is too large for the card.
import contextlib
import sys

import torch
from torch import nn

how = sys.argv[1]
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.1)
model = nn.TransformerEncoder(layer, 8).cuda()
head = nn.Linear(512, 100).cuda()
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
batch = 16 if how == "fits" else 96
autocast = torch.autocast("cuda", torch.bfloat16) if how == "bf16" else contextlib.nullcontext()
for step in range(30):
    x, y = torch.randn(batch, 256, 512, device="cuda"), torch.randint(0, 100, (batch,), device="cuda")
    with autocast:
        loss = nn.functional.cross_entropy(head(model(x).mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
