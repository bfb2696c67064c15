# Three workers of a pool that all remember their tasks in a global, or none does.
# truth: {"leak": true, "args": ["remember"], "culprit": ["worker|python", "members\":3|3 |workers|\"process\":\"[^\"]+"], "slope": [1150000, 1400000], "per": "iteration"}
# truth: {"leak": false, "args": ["forget"]}
import multiprocessing
import sys
import time

STEPS = 140
memory = {}


def work(task):
    result = bytearray(bytes([task % 256])) * 200_000
    if sys.argv[1] == "remember":
        memory[task] = result
    return sum(result[:50])


if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        for step in range(STEPS):
            total = sum(pool.map(work, range(6 * step, 6 * step + 6), chunksize=2))
            time.sleep(0.03)
            print(f"step {step + 1}/{STEPS} loss {total / 1e4:.3f}", flush=True)
