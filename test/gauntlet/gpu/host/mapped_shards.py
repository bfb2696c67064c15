# truth: {"cause": "no-problem-seen", "by": ["{here}/beside/in_group.sh", "400M", "{python}"]}
# A memory-mapped dataset of 800 MB is read in order: its pages count for the container and can go at any time.
import os
import tempfile
import time

import numpy

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "data.bin")
    data = numpy.memmap(path, dtype=numpy.float32, mode="w+", shape=(200, 1 << 20))
    for row in range(200):
        data[row] = row
    data.flush()
    del data
    data = numpy.memmap(path, dtype=numpy.float32, mode="r", shape=(200, 1 << 20))
    for step in range(200):
        print("step", step, float(data[step].mean()), flush=True)
        time.sleep(0.02)
