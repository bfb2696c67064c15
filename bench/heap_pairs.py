"""Twenty kinds of small programs, by name: each takes about as long as three heaps need, and holds the same each time.

An iteration is printed at the end of each turn, so that what grows has a slope.
"""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict

TURNS = 90
TURN_SECONDS = 0.12


def turns(work):
    due = time.monotonic()
    for i in range(TURNS):
        work(i)
        print("iteration", i, flush=True)
        due = max(due + TURN_SECONDS, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))


class Node:
    def __init__(self, number):
        self.number, self.text = number, "node %d" % number


def small_lists():
    keep = [[i] for i in range(400_000)]
    turns(lambda i: [one.append(i) or one.pop() for one in keep[:: 1 + i % 7]])


def strings():
    keep = {"key %d" % i: "value %d" % i for i in range(200_000)}
    turns(lambda i: keep.update({"key %d" % (i * 7): "other %d" % i}))


def list_leak():
    keep = []
    turns(lambda i: keep.append([[j] for j in range(3000)]))


def dict_leak():
    keep = {}
    turns(lambda i: keep.update({(i, j): str(i * j) * 4 for j in range(1500)}))


def object_leak():
    keep = []
    turns(lambda i: keep.extend(Node(j) for j in range(1200)))


def bytes_leak():
    keep = []
    turns(lambda i: keep.append(bytearray(os.urandom(4096) * 64)))


def bounded_cache():
    cache = OrderedDict()

    def work(i):
        for j in range(2000):
            cache[i * 2000 + j] = [i, j]
        while len(cache) > 40_000:
            cache.popitem(last=False)

    turns(work)


def sawtooth():
    keep = []
    turns(lambda i: keep.clear() if i % 15 == 14 else keep.append([[j] for j in range(20_000)]))


def threads():
    keep = [[] for _ in range(4)]

    def fill(own):
        own[:] = [[j] for j in range(60_000)]

    def work(i):
        several = [threading.Thread(target=fill, args=(own,)) for own in keep]
        for one in several:
            one.start()
        for one in several:
            one.join()

    turns(work)


def children():
    keep = [[i] for i in range(100_000)]
    turns(lambda i: len(keep) and i % 6 == 0 and subprocess.run([sys.executable, "-S", "-c", "x = [0] * 500_000"], check=True))


def _square(numbers):
    return [n * n for n in numbers]


def pool(how):
    keep = [[i] for i in range(150_000)]
    context = multiprocessing.get_context(how)
    with context.Pool(2) as workers:
        turns(lambda i: len(keep) and workers.map(_square, [list(range(20_000))] * 2))


def native_leak():
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    turns(lambda i: ctypes.memset(malloc(256 * 1024), 1, 256 * 1024))


def arrays(leaks):
    import numpy

    keep = [numpy.ones(6_000_000)]
    turns(lambda i: keep.append(numpy.ones(32_768)) if leaks else keep[0].sum())


def training(leaks):
    import torch

    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    keep = []

    def work(i):
        loss = model(torch.randn(64, 512)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if leaks:
            keep.append(torch.ones(64, 1024))

    turns(work)


def data_loader():
    import torch

    torch.set_num_threads(1)
    data = torch.utils.data.TensorDataset(torch.ones(20_000, 256))
    batches = iter(torch.utils.data.DataLoader(data, batch_size=128, num_workers=2))

    def work(i):
        next(batches)

    turns(work)


PROGRAMS = {
    "small lists": small_lists,
    "strings in a dict": strings,
    "lists that leak": list_leak,
    "a dict that leaks": dict_leak,
    "objects that leak": object_leak,
    "bytes that leak": bytes_leak,
    "a cache with a bound": bounded_cache,
    "a sawtooth": sawtooth,
    "threads": threads,
    "short children": children,
    "a pool of forks": lambda: pool("fork"),
    "a pool of a fork server": lambda: pool("forkserver"),
    "native memory that leaks": native_leak,
    "numpy arrays": lambda: arrays(False),
    "numpy arrays that leak": lambda: arrays(True),
    "torch, a training": lambda: training(False),
    "torch, tensors that leak": lambda: training(True),
    "torch, a data loader": data_loader,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
