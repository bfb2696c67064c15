# An agent's experience: a replay buffer that keeps every transition, or the newest thousand.
# truth: {"leak": true, "args": ["list"], "needs": ["numpy"], "culprit": "main|python|replay", "slope": [72000, 88000], "per": "iteration", "why": "ten frames of 84 x 84 bytes stay in each episode, and the allocator rounds"}
# truth: {"leak": false, "args": ["deque"], "needs": ["numpy"], "why": "it is full after a hundred episodes of 450"}
import collections
import random
import sys
import time

import numpy as np

rng = np.random.default_rng(1)
random.seed(1)
replay = [] if sys.argv[1] == "list" else collections.deque(maxlen=1000)
values = np.zeros((84 * 84, 4), dtype=np.float32)
EPISODES, STEPS = 450, 10
began = time.monotonic()
frame = rng.integers(0, 255, (84, 84), dtype=np.uint8)
for episode in range(EPISODES):
    epsilon, reward = max(0.05, 1 - episode / 300), 0.0
    for _ in range(STEPS):
        flat = frame.reshape(-1).astype(np.float32)
        action = random.randrange(4) if random.random() < epsilon else int((flat @ values).argmax())
        after = rng.integers(0, 255, (84, 84), dtype=np.uint8)
        replay.append((frame, action, random.random(), after))
        frame, reward = after, reward + replay[-1][2]
    for old, action, gain, _ in random.sample(replay, min(len(replay), 16)):
        values[:, action] += 1e-9 * gain * old.reshape(-1)
    print(f"Episode {episode + 1}/{EPISODES} reward {reward:.2f} epsilon {epsilon:.2f} replay {len(replay)}", flush=True)
    time.sleep(max(0, began + 0.1 * (episode + 1) - time.monotonic()))
