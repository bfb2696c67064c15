# A history that is concatenated anew in each step, or written into an array of fixed size.
# truth: {"leak": true, "args": ["grow"], "needs": ["numpy"], "culprit": "main|python", "slope": [80000, 200000], "per": "iteration", "why": "80 kB of history in each step; the copy that is made meanwhile comes and goes"}
# truth: {"leak": false, "args": ["ring"], "needs": ["numpy"]}
import sys
import time

import numpy as np

STEPS, WIDTH = 300, 10_000
history = np.zeros((20 if sys.argv[1] == "ring" else 0, WIDTH))
for step in range(STEPS):
    row = np.random.default_rng(step).standard_normal((1, WIDTH))
    if sys.argv[1] == "ring":
        history[step % 20] = row
    else:
        history = np.concatenate([history, row])
    time.sleep(0.025)
    print(f"Step {step + 1}/{STEPS}: loss={history.std():.4f}", flush=True)
