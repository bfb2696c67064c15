# truth: {"cause": "fragmentation", "ends": 1, "record": ["--gpu-limit", "3700MiB"]}
# Lidar sweeps lie on the card for a first epoch; the second learns from the hardest sweep of each scene, joined into one tensor.
# 420 sweeps of 5.2 to 6.4 MiB: torch puts three into each segment of 20 MiB, so 140 segments, 2800 MiB, hold 2430 MiB. A step
# needs about 100 MiB. Of each three neighbours one stays, so every segment does: 810 MiB live. To join them takes 810 MiB
# more, 1.6 GiB in all of the 3.1 that torch has; but no hole is larger than 15 MiB, and some 370 MiB are not yet taken.
import random

import torch
from torch import nn
from torch.nn import functional as F

SCENES, SWEEPS = 140, 3
torch.manual_seed(0)
rng = random.Random(0)
scenes = [
    [torch.randn(rng.randrange(273_000, 335_000), 5, device="cuda") for _ in range(SWEEPS)] for _ in range(SCENES)
]  # fmt: skip
labels = [rng.randrange(10) for _ in range(SCENES)]
print(f"{SCENES * SWEEPS} sweeps, {torch.cuda.memory_allocated() >> 20} MiB", flush=True)

points = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()).cuda()
head = nn.Linear(64, 10).cuda()
optimizer = torch.optim.Adam([*points.parameters(), *head.parameters()], lr=1e-3)


def learn(cloud, label):
    chosen = cloud[torch.randint(0, len(cloud), (32_768,), device="cuda")]
    loss = F.cross_entropy(head(points(chosen).amax(0, keepdim=True)), torch.tensor([label], device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


hardest = []
for number, (sweeps, label) in enumerate(zip(scenes, labels)):
    losses = [learn(sweep, label) for sweep in sweeps]
    hardest.append(losses.index(max(losses)))
    if number % 20 == 0:
        print(f"scene {number} loss {max(losses):.3f}", flush=True)

scenes = [sweeps[which] for sweeps, which in zip(scenes, hardest)]
del sweeps
print(f"{len(scenes)} hardest sweeps, {torch.cuda.memory_allocated() >> 20} MiB", flush=True)
sizes = [len(sweep) for sweep in scenes]
everything = torch.cat(scenes)
for epoch in range(2, 5):
    for cloud, label in zip(everything.split(sizes), labels):
        loss = learn(cloud, label)
    print(f"epoch {epoch} loss {loss:.3f}", flush=True)
