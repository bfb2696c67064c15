"""What `record --layers` adds to short steps: a small model trained with what it does at each step, and without, in turns.

    highwater record --layers -- python bench/short_steps.py gpt|resnet [--rounds 20] [--steps 40]

Both in one process, a window of steps each, so that a busy machine slows both alike. What follows layers is found among the
objects and told to be off for a window. Prints milliseconds of CPU time a step, all threads together, of each window as JSON. The
first steps, which are followed whatever they cost, are left out.
"""

import argparse
import gc
import json
import sys
import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.act, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(x + self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))))


def gpt():
    model = nn.Sequential(nn.Embedding(500, 64), *[Block(64) for _ in range(12)], nn.Linear(64, 500))
    return model, torch.randint(0, 500, (2, 32))


def resnet():
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *[Residual(16) for _ in range(8)], *head), torch.randn(2, 3, 16, 16)


class Layers:
    """The agent's, which is to be on or off."""

    def __init__(self):
        [self._layers] = [one for one in gc.get_objects() if type(one).__module__ == "_highwater._inside.layers" and type(one).__name__ == "Layers"]

    def turn(self, on):
        layers, watch = self._layers, self._layers._profiler._watch
        layers._over = not on
        if on:
            layers._overhead.step_ends()
            layers._overhead.began_again()
            layers._profiler._budget.begins()
        else:
            watch._disarm()
        for gate in watch._gates.values():
            gate.put() if on else gate.remove()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("model", choices=["gpt", "resnet"])
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--steps", type=int, default=40)
    given = options.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, batch = {"gpt": gpt, "resnet": resnet}[given.model]()
    adam = torch.optim.AdamW(model.parameters())

    def step():
        adam.zero_grad()
        model(batch).pow(2).mean().backward()
        adam.step()

    def window():
        began = time.process_time()
        for _ in range(given.steps):
            step()
        return 1000 * (time.process_time() - began) / given.steps

    for _ in range(120):
        step()
    layers = Layers()
    found = {True: [], False: []}
    for number in range(given.rounds):
        for on in (True, False) if number % 2 else (False, True):
            layers.turn(on)
            found[on].append(window())
    layers.turn(True)
    print(json.dumps({"torch": torch.__version__, "with": found[True], "without": found[False]}))


if __name__ == "__main__":
    sys.exit(main())
