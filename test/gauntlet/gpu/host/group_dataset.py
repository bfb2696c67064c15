# truth: {"cause": "limit", "by": ["{here}/beside/in_group.sh", "300M", "{python}"]}
# All of a dataset is read into a list, in a container that is smaller.
import time

import numpy

shards = []
for number in range(100):
    shards.append(numpy.random.default_rng(number).random(1 << 20))
    print("shard", number, flush=True)
    time.sleep(0.1)
