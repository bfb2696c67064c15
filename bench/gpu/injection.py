"""What the agent that `highwater record` lets into a program costs in a step of ResNet-50, inside one process.

    highwater record -- python bench/gpu/injection.py [--batch 32] [--rounds 12] [--steps 50] [--ways on,history]
    … --device cpu --batch 8 --ways on       # seconds of all threads of the process

Two processes on one card differ by more than the agent costs, so it is taken away and put back in turns within one:
not at all, its hooks (the default once a training is set up, with room on the card), and its hooks with the history of the allocator (the
default while it is set up, grows, or has filled half of the card). The agent pays for its looks with time that passes: it is not
credited with that in which it was away. Prints a JSON object: milliseconds of a step each way, the median and the least
of the rounds, and what each way adds: the median over rounds, the range in which the middle half of them lies, and by the sum of all.
"""

import argparse
import gc
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
        self.steps = next(one for one in gc.get_objects() if type(one).__name__ == "Steps")
        self.left = None

    def off(self):
        self._hooks(False)
        self._without_history()

    def on(self):
        self._hooks(True)
        self._without_history()

    def _without_history(self):
        if torch.cuda.is_initialized():
            torch.cuda.memory._record_memory_history(None)

    def history(self):
        self._hooks(True)
        # As a history of the program's own, which the agent does not switch.
        torch.cuda.memory._record_memory_history("all", context="alloc", stacks="python", max_entries=100_000)

    def _hooks(self, wanted):
        now = time.monotonic_ns()
        if wanted and self.left is not None:
            away, self.left = now - self.left, None
            self.steps._survey_at += away
            self.steps._watch_pace._not_before += away
            self.steps._gauges._malloc_at += away
        elif not wanted and self.left is None:
            self.left = now
        torch.autograd.backward = self.backward if wanted else self.backward.__wrapped__
        for name in HOOKS:
            getattr(optimizers, name).clear()
            getattr(optimizers, name).update(self.hooks[name] if wanted else {})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--ways", default="on,history")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    options = parser.parse_args()
    training = Training(options.device, options.batch, 224)
    agent = Agent()
    ready = time.monotonic() + 15  # by then the agent knows that nothing grows any more
    while time.monotonic() < ready:
        training.step()
    ways = ["off", *options.ways.split(",")]
    seconds = {way: [] for way in ways}
    for turn in range(options.rounds):
        first = turn % len(ways)
        for way in ways[first:] + ways[:first]:
            getattr(agent, way)()
            training.step()
            seconds[way].append(training.timed(options.steps, lambda: None))
    print(
        json.dumps(
            {
                "torch": torch.__version__,
                "batch": options.batch,
                "reserved": torch.cuda.max_memory_reserved() if options.device == "cuda" else None,
                "ms": {way: round(1000 * statistics.median(each), 3) for way, each in seconds.items()},
                "least": {way: round(1000 * min(each), 3) for way, each in seconds.items()},
                "added": {way: added(seconds[way], seconds["off"]) for way in ways[1:]},
            }
        )
    )


def added(these, off):
    low, middle, high = statistics.quantiles([one / other - 1 for one, other in zip(these, off)], n=4)
    # A look that comes seldom is in few rounds, and missed by a median; one that was held up otherwise counts in a sum.
    return {"median": round(middle, 4), "half": [round(low, 4), round(high, 4)], "sum": round(sum(these) / sum(off) - 1, 4)}


main()
