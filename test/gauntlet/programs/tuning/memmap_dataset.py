# A dataset of 300 MiB in a file, read once through np.memmap, as Arrow and HF datasets do: the pages are the kernel's to take back.
# truth: {"leak": false, "args": ["read"], "needs": ["numpy"], "quick": true}
# truth: {"leak": true, "args": ["keep"], "needs": ["numpy"], "culprit": ["main|python", "anon|python-objects|native|array|samples"], "slope": [1000000, 1150000], "per": "iteration", "why": "each sample of 1 MiB is copied and kept"}
import os
import sys
import time

import numpy as np

ROWS, WIDTH = 300, 262_144  # 1 MiB a row of float32

with open("dataset.bin", "wb") as file:
    file.writelines(np.full(WIDTH, row, np.float32).tobytes() for row in range(ROWS))

data = np.memmap("dataset.bin", dtype=np.float32, mode="r", shape=(ROWS, WIDTH))
samples = []
weights = np.zeros(WIDTH, np.float32)
for step in range(ROWS):
    batch = data[step]
    weights += 0.01 * batch
    if sys.argv[1] == "keep":
        samples.append(np.array(batch))
    time.sleep(0.02)
    print(f"step {step + 1}/{ROWS} loss {float(weights[0]):.3f}", flush=True)
os.remove("dataset.bin")
