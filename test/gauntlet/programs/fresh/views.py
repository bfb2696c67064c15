# One row of each batch is kept to look at later: a view, which keeps the whole batch, of all batches, or of the last fifty.
# truth: {"leak": true, "args": ["all"], "needs": ["numpy"], "culprit": "main|python|hard", "slope": [96000, 112000], "per": "iteration", "why": "a row has 2 kB, its batch 98 kB"}
# truth: {"leak": false, "args": ["fifty"], "needs": ["numpy"]}
import collections
import sys
import time

import numpy as np

rng = np.random.default_rng(7)
hard = [] if sys.argv[1] == "all" else collections.deque(maxlen=50)
weights = np.zeros(512, dtype=np.float32)
STEPS = 450
began = time.monotonic()
for step in range(1, STEPS + 1):
    batch = rng.standard_normal((48, 512), dtype=np.float32)
    target = batch[:, 0] * 0.5
    errors = batch @ weights - target
    weights -= 0.01 * (batch.T @ errors) / 48
    hard.append(batch[np.abs(errors).argmax()])
    print(f"[{step}/{STEPS}] loss: {float((errors**2).mean()):.4f}, hardest: {float(np.abs(errors).max()):.3f}", flush=True)
    time.sleep(max(0, began + 0.1 * step - time.monotonic()))
