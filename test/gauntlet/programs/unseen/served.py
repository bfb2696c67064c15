# A server's answers stay where they were handed over: finished tasks of asyncio in a set (silent, by the clock),
# futures of a pool of threads in a list, a dict of a multiprocessing.Manager, which is a process of its own.
# truth: {"leak": true, "args": ["tasks", "kept"], "culprit": "main|python|tasks", "slope": [1180000, 1350000], "per": "second"}
# truth: {"leak": false, "args": ["tasks", "dropped"]}
# truth: {"leak": true, "args": ["futures", "kept"], "culprit": "main|python|futures", "slope": [120000, 138000], "per": "iteration"}
# truth: {"leak": false, "args": ["futures", "dropped"]}
# truth: {"leak": true, "args": ["manager", "kept"], "culprit": "worker|child|python", "slope": [149000, 170000], "per": "iteration"}
# truth: {"leak": false, "args": ["manager", "dropped"]}
import asyncio
import multiprocessing
import sys
import time
from concurrent.futures import ThreadPoolExecutor

keep = sys.argv[2] == "kept"
STEPS = 230


def said(step):
    time.sleep(0.04)
    print(f"step {step + 1}/{STEPS} loss {1 / (step + 1):.4f}", flush=True)


async def answer(number):
    await asyncio.sleep(0.05)
    return b"%08d" % number * 2_500


async def serve():
    tasks, began, served = set(), time.monotonic(), 0
    while (elapsed := time.monotonic() - began) < 16:
        for number in range(served, served := int(elapsed * 60)):
            task = asyncio.create_task(answer(number))
            tasks.add(task)
            if not keep:
                task.add_done_callback(tasks.discard)
        await asyncio.sleep(0.03)


def futures():
    futures = []
    with ThreadPoolExecutor(4) as pool:
        for step in range(STEPS):
            some = [pool.submit(bytearray, b"r" * 30_000) for _ in range(4)]
            assert all(len(future.result()) == 30_000 for future in some)
            if keep:
                futures += some
            said(step)


def manager():
    with multiprocessing.get_context("fork").Manager() as manager:
        shared = manager.dict()
        for step in range(STEPS):
            for part in range(5):
                shared[step, part] = b"%06d" % step * 5_000
                if not keep:
                    shared.pop((step - 8, part), None)
            said(step)


if __name__ == "__main__":
    if sys.argv[1] == "tasks":
        asyncio.run(serve())
    else:
        {"futures": futures, "manager": manager}[sys.argv[1]]()
