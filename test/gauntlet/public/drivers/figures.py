"""A figure of matplotlib after each epoch, written as a picture; pyplot knows it until it is closed."""
import io
import sys
import time
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

warnings.filterwarnings("ignore", message="More than 20 figures")
rng = np.random.default_rng(3)
EPOCHS = 90
losses = []
began = time.monotonic()
for epoch in range(EPOCHS):
    losses = (losses + [1 / (1 + epoch) + 0.01 * rng.random()])[-50:]
    figure, (curve, matrix) = plt.subplots(1, 2, figsize=(6, 3))
    curve.plot(losses)
    matrix.imshow(rng.random((20, 20)))
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    if sys.argv[1] == "closed":
        plt.close(figure)
    print(f"Epoch {epoch + 1}/{EPOCHS} loss={losses[-1]:.4f} png={len(picture.getvalue())}", flush=True)
    time.sleep(max(0, began + 0.5 * (epoch + 1) - time.monotonic()))
