# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "snapshots"}
# An audio tagger that keeps the weights of every epoch on the card, to average the best of them at the end.
import torch
from torch import nn

torch.manual_seed(0)


def block(inside, outside):
    return nn.Sequential(nn.Conv1d(inside, outside, 9, stride=2, padding=4), nn.BatchNorm1d(outside), nn.SiLU())


model = nn.Sequential(
    block(64, 512), block(512, 1024), block(1024, 1024), block(1024, 1024),
    nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1024, 50),
).cuda()  # fmt: skip
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
spectra = torch.randn(64, 64, 400)
tags = torch.randint(0, 2, (64, 50)).float()
snapshots = []
for epoch in range(60):
    model.train()
    for first in range(0, 64, 16):
        x, y = spectra[first : first + 16].cuda(), tags[first : first + 16].cuda()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    snapshots.append((loss.item(), {name: value.clone() for name, value in model.state_dict().items()}))
    print(f"epoch {epoch} loss {loss.item():.3f}", flush=True)

best = sorted(snapshots, key=lambda pair: pair[0])[:5]
average = {name: sum(weights[name] for _, weights in best) / len(best) for name in best[0][1]}
model.load_state_dict(average)
