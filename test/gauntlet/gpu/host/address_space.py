# truth: {"cause": "limit"}
# The job's own limit on address space, as a queue sets it, stops the reading of a dataset.
import resource
import time

import numpy

resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))
shards = []
for number in range(200):
    shards.append(numpy.ones(4 << 20, dtype=numpy.float64))
    print("shard", number, flush=True)
    time.sleep(0.1)
