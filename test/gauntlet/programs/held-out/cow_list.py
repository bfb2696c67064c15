# Three forked workers walk over a large list of their parent's and unshare it by counting references; over an array they do not.
# truth: {"leak": true, "args": ["list"], "culprit": "worker|python", "needs": ["numpy"], "why": "each worker ends with a copy of its own of the whole list: what grows is no longer shared"}
# truth: {"leak": false, "args": ["array"], "needs": ["numpy"]}
import multiprocessing
import sys
import time

import numpy as np

ITEMS, STEPS = 900_000, 150
data = [str(i) for i in range(ITEMS)] if sys.argv[1] == "list" else np.arange(ITEMS)


def walk(number, queue):
    for step in range(STEPS):
        part = data[step * ITEMS // STEPS : (step + 1) * ITEMS // STEPS]
        queue.put(sum(1 for item in part if item))
        time.sleep(0.04)


if __name__ == "__main__":
    queue = multiprocessing.Queue()
    for number in range(3):
        multiprocessing.Process(target=walk, args=(number, queue)).start()
    for step in range(STEPS):
        total = sum(queue.get() for _ in range(3))
        print(f"step {step + 1}/{STEPS} loss {total / 1e4:.3f}", flush=True)
