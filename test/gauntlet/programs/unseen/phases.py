# The shapes of memory over a run, all of numpy arrays: an array that np.append makes longer, a ring; waves that come back to
# where they began, waves that rise; growth in the first third alone; one large allocation in the middle.
# truth: {"leak": true, "args": ["append"], "needs": ["numpy"], "culprit": "main|python|history", "slope": [128000, 270000], "per": "iteration", "why": "131 kB are kept; while it copies, both the old and the new array are there"}
# truth: {"leak": false, "args": ["ring"], "needs": ["numpy"]}
# truth: {"leak": false, "args": ["waves"], "needs": ["numpy"], "why": "every forty steps it is back where it began"}
# truth: {"leak": true, "args": ["rising"], "needs": ["numpy"], "culprit": "main|python|kept", "slope": [105000, 126000], "per": "iteration"}
# truth: {"leak": false, "args": ["third"], "needs": ["numpy"], "why": "it grows for a third of the run, then never again"}
# truth: {"leak": false, "args": ["once"], "needs": ["numpy"], "why": "64 MB once, in the middle of the run"}
import math
import sys
import time

import numpy as np

rng = np.random.default_rng(5)
shape = sys.argv[1]
STEPS = 240
history, ring, wave, kept = np.empty(0), np.zeros((32, 16_384)), [], {}
for step in range(STEPS):
    row = rng.standard_normal(16_384)
    if shape == "append":
        history = np.append(history, row)
    elif shape == "ring":
        ring[step % 32] = row
    elif shape in ("waves", "rising"):
        height = round(40 * (1 - math.cos(2 * math.pi * (step + 1) / 40)))
        wave += [rng.standard_normal(32_768) for _ in range(height - len(wave))]
        del wave[height:]
        if shape == "rising":
            kept[step] = tuple(zip(*[iter(row[:2800].tolist())] * 56))  # 114 kB in small objects
    elif shape == "third" and step < STEPS // 3:
        kept[step] = np.concatenate([row] * 4)
    elif shape == "once" and step == STEPS // 2:
        kept[step] = rng.standard_normal(8_000_000)
    time.sleep(0.04)
    print(f"step {step + 1}/{STEPS} loss {abs(row.mean()):.4f}", flush=True)
