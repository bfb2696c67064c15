"""A small training that leaks in one of several ways: `causes.py losses|spent|dict|native|shm [--fine] [PATH]`.

`--fine`: does the same work and lets go; of several ways, too: `losses,dict`. PATH: of the library for `native`,
of the files for `shm`, of a file that is told the true size of what `dict` keeps.
"""
import ctypes
import os
import sys
import time

import torch

causes = sys.argv[1].split(",")
fine = "--fine" in sys.argv
path = sys.argv[-1]
STEPS = 120
PAUSE = 0.03
SIZE = 512 * 1024

losses = []
seen = {}
library = ctypes.CDLL(path) if "native" in causes else None


def leak(cause, step, loss, checked):
    if cause == "losses":
        # As a validation without torch.no_grad(): nothing frees what its graph has saved.
        losses.append(checked.item() if fine else checked)
    elif cause == "spent":
        losses.append(loss.item() if fine else loss)
    elif cause == "dict":
        for i in range(1000):
            seen[i if fine else (step, i)] = {"step": step, "loss": step + i / 7}
    elif cause == "native":
        library.take(ctypes.c_size_t(SIZE), int(fine))
    elif cause == "shm":
        name = "%s-%d" % (path, step)
        tensor = torch.from_file(name, shared=True, size=SIZE // 4)
        tensor.fill_(1.0)
        del tensor
        if fine:
            os.remove(name)


def train():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        time.sleep(PAUSE)
        loss = model(torch.ones(64, 256)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        checked = model(torch.ones(64, 256)).mean()
        for cause in causes:
            leak(cause, step, loss, checked)


def held():
    """Bytes of the dict with all that only it holds; small numbers are Python's own."""
    entries = ((key, value, value["loss"], *[i for i in key[1:] if i > 256]) for key, value in seen.items())
    return sys.getsizeof(seen) + sum(sys.getsizeof(one) for entry in entries for one in entry)


torch.set_num_threads(1)
train()
if causes == ["dict"]:
    with open(path, "w") as file:
        file.write(str(held()))
