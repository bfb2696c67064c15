# A dataset keeps the images it decoded: by their index, which is all of them after one epoch, or by index and random crop.
# truth: {"leak": true, "args": ["by-crop"], "needs": ["numpy"], "culprit": "main|python|decoded", "slope": [940000, 1080000], "per": "second", "why": "ten crops a second of 98 kB; it says epochs and batches"}
# truth: {"leak": false, "args": ["by-index"], "needs": ["numpy"], "why": "120 images are decoded in the first of four epochs, none later"}
import random
import sys
import time
import zlib

import numpy as np

random.seed(5)
rng = np.random.default_rng(5)
EPOCHS, IMAGES, SHAPE = 4, 120, (160, 288, 3)
files = []
for _ in range(IMAGES):
    small = rng.integers(0, 255, (10, 18, 3), dtype=np.uint8)
    files.append(zlib.compress(small.repeat(16, 0).repeat(16, 1).tobytes()))
decoded = {}


def load(index):
    top, left = (random.randrange(32), random.randrange(32)) if sys.argv[1] == "by-crop" else (16, 16)
    key = (index, top, left)
    if key not in decoded:
        image = np.frombuffer(zlib.decompress(files[index]), dtype=np.uint8).reshape(SHAPE)
        decoded[key] = image[top : top + 128, left : left + 256].copy()
    return decoded[key]


began, done, mean = time.monotonic(), 0, 0.0
for epoch in range(EPOCHS):
    order = random.sample(range(IMAGES), IMAGES)
    for batch in range(0, IMAGES, 4):
        mean = 0.9 * mean + 0.1 * float(np.mean([load(index).mean() for index in order[batch : batch + 4]]))
        done += 4
        print(f"Epoch {epoch + 1}/{EPOCHS} [{batch + 4:3d}/{IMAGES}] loss: {mean / 255:.4f}", flush=True)
        time.sleep(max(0, began + done / 10 - time.monotonic()))
