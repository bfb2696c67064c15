# truth: {"cause": "shm-full", "by": ["{here}/beside/small_shm.sh", "96m", "{python}"]}
# A pool of prepared batches lies in files of /dev/shm until it is full.
import time

import numpy

pool = []
for number in range(100):
    with open(f"/dev/shm/batch-{number}.bin", "wb") as file:
        file.write(numpy.full(1 << 20, number, dtype=numpy.float64).tobytes())
    pool.append(file.name)
    print("batch", number, flush=True)
    time.sleep(0.1)
