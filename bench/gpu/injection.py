"""What the agent that `highwater record` lets into a program costs in a step of ResNet-50, inside one process.

    highwater record -- python bench/gpu/injection.py [--batch 32] [--rounds 12] [--steps 50]

Two processes on one card differ by more than the agent costs, so its hooks and the allocator's history are taken
away and put back in turns within one. Prints a JSON object: milliseconds of a step without it, with the history alone, and with
all of it; the median and the least of the rounds, and the median over rounds of what each adds.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import torch  # noqa: E402
from resnet import Training  # noqa: E402
from torch.optim import optimizer as optimizers  # noqa: E402

HOOKS = ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")


class Agent:
    """What it has put into torch, to be taken away and put back."""

    def __init__(self):
        self.backward = torch.autograd.backward
        if not hasattr(self.backward, "__wrapped__"):
            sys.exit("no agent in this process: run it under highwater record")
        self.hooks = {name: dict(getattr(optimizers, name)) for name in HOOKS}

    def off(self):
        torch.cuda.memory._record_memory_history(None)
        self.without_hooks()

    def without_hooks(self):
        torch.autograd.backward = self.backward.__wrapped__
        for name in HOOKS:
            getattr(optimizers, name).clear()

    def on(self):
        self.history()
        torch.autograd.backward = self.backward
        for name in HOOKS:
            getattr(optimizers, name).update(self.hooks[name])

    def history(self):
        torch.cuda.memory._record_memory_history("all", context=None, stacks="python", max_entries=100_000)
        self.without_hooks()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=50)
    options = parser.parse_args()
    training = Training("cuda", options.batch, 224)
    agent = Agent()
    for _ in range(30):
        training.step()
    seconds = {"off": [], "history": [], "on": []}
    for turn in range(options.rounds):
        ways = list(seconds)
        for way in ways[turn % 3 :] + ways[: turn % 3]:
            getattr(agent, way)()
            training.step()
            seconds[way].append(training.timed(options.steps, lambda: None))
    added = {
        way: statistics.median(one / off - 1 for one, off in zip(seconds[way], seconds["off"]))
        for way in ("history", "on")
    }
    step = {way: round(1000 * statistics.median(each), 3) for way, each in seconds.items()}
    least = {way: round(1000 * min(each), 3) for way, each in seconds.items()}
    print(json.dumps({"torch": torch.__version__, "ms": step, "least": least, "added": added}))


main()
