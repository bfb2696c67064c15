# Three epochs in random order over an np.memmap of 160 MiB; its twin keeps a copy of each batch's rows.
# truth: {"leak": false, "args": ["views"], "needs": ["numpy"]}
# truth: {"leak": true, "args": ["copies"], "needs": ["numpy"], "culprit": "main|python", "slope": [520000, 600000], "per": "iteration"}
import os
import sys
import time

import numpy as np

ROWS, WIDTH = 2560, 16_384
np.arange(ROWS * WIDTH, dtype=np.float32).tofile("train.bin")
data = np.memmap("train.bin", dtype=np.float32, mode="r", shape=(ROWS, WIDTH))
order = np.random.default_rng(0)
kept = []
for epoch in range(3):
    for batch, rows in enumerate(order.permutation(ROWS).reshape(-1, 32)):
        mean = sum(float(data[row].mean()) for row in rows) / len(rows)
        if sys.argv[1] == "copies":
            kept.append(np.stack([data[row, :4096] for row in rows]))
        time.sleep(0.02)
        print(f"epoch {epoch + 1}/3 step {batch + 1}/80 loss {mean:.1f}", flush=True)
os.remove("train.bin")
