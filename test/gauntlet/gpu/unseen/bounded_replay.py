# truth: {"cause": "no-problem-seen"}
# A Q-learner whose replay memory lies on the card and has a bound: it fills for a quarter of the run, then stays.
import random
from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
rng = random.Random(0)


def network():
    return nn.Sequential(
        nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(64 * 9 * 9, 512), nn.ReLU(), nn.Linear(512, 6),
    ).cuda()  # fmt: skip


online, target = network(), network()
optimizer = torch.optim.Adam(online.parameters(), lr=1e-4)
replay = deque(maxlen=200)
for step in range(800):
    frames = torch.rand(16, 5, 84, 84, device="cuda")
    with torch.no_grad():
        actions = online(frames[:, :4]).argmax(1)
    replay.append((frames, actions, torch.randn(16, device="cuda")))
    frames, actions, reward = (torch.cat(part) for part in zip(*rng.choices(replay, k=4)))
    with torch.no_grad():
        goal = reward + 0.99 * target(frames[:, 1:]).max(1).values
    value = online(frames[:, :4]).gather(1, actions[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        target.load_state_dict(online.state_dict())
        print(f"step {step} memory {len(replay)} loss {loss.item():.3f}", flush=True)
