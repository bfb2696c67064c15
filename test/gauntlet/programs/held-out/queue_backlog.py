# A producer that is faster than its consumer: an unlimited queue grows, one with a limit makes it wait.
# truth: {"leak": true, "args": ["0"], "culprit": "main|python", "slope": [450000, 720000], "per": "iteration"}
# truth: {"leak": false, "args": ["4"]}
import contextlib
import multiprocessing
import sys
import time
from queue import Full

STEPS = 150


def consume(queue):
    while queue.get() is not None:
        time.sleep(0.25)


if __name__ == "__main__":
    queue = multiprocessing.Queue(int(sys.argv[1]))
    consumer = multiprocessing.Process(target=consume, args=(queue,), daemon=True)
    consumer.start()
    for step in range(STEPS):
        with contextlib.suppress(Full):  # the batch is dropped
            queue.put(bytes([step % 256]) * (640 << 10), timeout=0.03)
        time.sleep(0.03)
        print(f"step {step + 1}/{STEPS} loss 0.5", flush=True)
    queue.cancel_join_thread()
