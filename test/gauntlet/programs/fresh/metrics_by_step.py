# A trainer's metrics are a dict by step, with a histogram of each layer's gradients: of all steps, or of the last hundred.
# truth: {"leak": true, "args": ["all"], "needs": ["numpy"], "culprit": "main|python|metrics", "slope": [385000, 470000], "per": "second", "why": "twenty steps a second, twelve histograms of 64 bins in each, which are 21 kB; it logs every 10th step"}
# truth: {"leak": false, "args": ["window"], "needs": ["numpy"]}
import logging
import sys
import time

import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("trainer")
rng = np.random.default_rng(2)
layers = [rng.standard_normal((32, 32)) * 0.2 for _ in range(12)]
metrics = {}
began = time.monotonic()
for step in range(950):
    signal, seen = rng.standard_normal((8, 32)), []
    for weights in layers:
        seen.append(signal)
        signal = np.tanh(signal @ weights)
    loss, back = float((signal**2).mean()), signal
    histograms = {}
    for index in reversed(range(len(layers))):
        gradient = seen[index].T @ back / 8
        histograms[f"layer{index}"] = np.histogram(gradient, bins=64)
        back = back @ layers[index].T
        layers[index] -= 1e-3 * gradient
    metrics[step] = {"loss": loss, "histograms": histograms}
    if sys.argv[1] == "window":
        metrics.pop(step - 100, None)
    if step % 10 == 0:
        log.info("step=%d loss=%.5f", step, loss)
    time.sleep(max(0, began + (step + 1) / 20 - time.monotonic()))
