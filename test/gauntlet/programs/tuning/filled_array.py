# A replay buffer that is asked for at once and filled row by row, and one that grows by an array for each row.
# truth: {"leak": false, "args": ["at-once"], "needs": ["numpy"], "why": "all rows were asked for before the first one was written"}
# truth: {"leak": true, "args": ["row-by-row"], "needs": ["numpy"], "culprit": "main|python|rows", "slope": [1040000, 1110000], "per": "iteration"}
import sys
import time

import numpy as np

STEPS = 180
ROW = (4, 65536)
buffer = np.zeros((2 * STEPS, *ROW), dtype=np.float32) if sys.argv[1] == "at-once" else None
rows = []
for step in range(STEPS):
    row = np.random.default_rng(step).random(ROW, dtype=np.float32)
    if buffer is None:
        rows.append(row)
    else:
        buffer[step] = row
    print(f"step {step + 1}/{STEPS} loss {row.mean():.4f}", flush=True)
    time.sleep(0.08)
