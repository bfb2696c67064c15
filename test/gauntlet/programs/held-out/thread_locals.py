# A pool of four threads whose thread-locals gather results, or hold the last one.
# truth: {"leak": true, "args": ["gather"], "culprit": "main|python", "slope": [400000, 470000], "per": "iteration"}
# truth: {"leak": false, "args": ["last"]}
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

STEPS = 160
local = threading.local()


def work(task):
    if not hasattr(local, "results"):
        local.results = []
    if sys.argv[1] == "last":
        local.results.clear()
    local.results.append(bytearray(b"t") * 100_000)
    time.sleep(0.005)
    return len(local.results)


with ThreadPoolExecutor(4) as pool:
    for step in range(STEPS):
        total = sum(pool.map(work, range(4)))
        time.sleep(0.025)
        print(f"step {step + 1}/{STEPS} loss {total / 1000:.3f}", flush=True)
