# truth: {"cause": "context", "ends": 1, "alone": true}
# Thirty workers prepare batches on the card; each has a CUDA context of its own, and the model has to share the card with those.
import multiprocessing

import torch

WORKERS = 30


def work(ready, done):
    torch.zeros(1, device="cuda")
    ready.put(True)
    done.wait()


if __name__ == "__main__":
    free = torch.cuda.mem_get_info()[0]
    # All but 6 GiB of what is free now: it would fit, were it not for the workers.
    need = free - (6 << 30)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Queue(), context.Event()
    workers = [context.Process(target=work, args=(ready, done), daemon=True) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for _ in workers:
        ready.get(timeout=80)
    print("workers are ready", flush=True)
    layers = []
    try:
        for layer in range(64):
            layers.append(torch.empty(need // 64, dtype=torch.uint8, device="cuda"))
            print("layer", layer, flush=True)
    finally:
        done.set()
