# Four workers, of which the third keeps 2 MiB of every task; no torch anywhere.
# truth: {"leak": true, "args": ["leak"], "culprit": ["worker 3|\"worker\\b[^\"]*\\b3", "members\":1|one of|\"process\":\"[^\"]+"], "slope": [2000000, 2300000], "per": "iteration"}
# truth: {"leak": false, "args": ["clean"], "quick": true}
import multiprocessing
import sys
import time

STEPS = 150


def work(number, tasks, results):
    kept = []
    for task in iter(tasks.get, None):
        block = bytearray(bytes([task % 256])) * (2 << 20)
        if number == 3 and sys.argv[1] == "leak":
            kept.append(block)
        results.put(sum(block[:1000]))


if __name__ == "__main__":
    queues = [multiprocessing.Queue() for _ in range(4)]
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(i + 1, queue, results)) for i, queue in enumerate(queues)]
    for worker in workers:
        worker.start()
    for step in range(STEPS):
        for queue in queues:
            queue.put(step)
        total = sum(results.get() for _ in queues)
        time.sleep(0.03)
        print(f"step {step + 1}/{STEPS} loss {total / 1e6:.4f}", flush=True)
    for queue in queues:
        queue.put(None)
    for worker in workers:
        worker.join()
