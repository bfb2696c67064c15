"""A frame of pandas to which each chunk is added with concat: of all chunks, or of the last forty."""
import sys
import time

import numpy as np
import pandas as pd

rng = np.random.default_rng(2)
CHUNKS, ROWS = 400, 1000
frame = pd.DataFrame()
began = time.monotonic()
for chunk in range(CHUNKS):
    rows = pd.DataFrame(
        {
            "when": np.arange(chunk * ROWS, (chunk + 1) * ROWS),
            "price": rng.standard_normal(ROWS).cumsum(),
            "volume": rng.integers(1, 1000, ROWS),
            "spread": rng.random(ROWS),
            "depth": rng.random(ROWS),
        }
    )
    frame = pd.concat([frame, rows], ignore_index=True)
    if sys.argv[1] == "last":
        frame = frame.tail(40 * ROWS)
    mean = frame["price"].rolling(50).mean().iloc[-1]
    print(f"chunk {chunk + 1}/{CHUNKS} rows {len(frame)} mean {mean:.3f}", flush=True)
    time.sleep(max(0, began + 0.12 * (chunk + 1) - time.monotonic()))
