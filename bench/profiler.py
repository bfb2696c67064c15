"""What the layer profiler costs in a step of ResNet-50, beside no profiler and beside torch.profiler.

    python bench/profiler.py [--device cuda] [--batch 32] [--rounds 5] [--steps 3]

Prints a JSON object: seconds a step for each way, the median over rounds. The ways take turns, so that a busy
machine slows all of them alike. On the CPU a second is one of CPU time, all threads together; on a GPU it is
one of the clock, from a synchronised start to a synchronised end.
"""

import argparse
import io
import json
import os
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import torch  # noqa: E402
from highwater import MemoryProfiler  # noqa: E402
from resnet import Training  # noqa: E402


def alone(training, steps):
    return training.timed(steps, lambda: None)


def highwater(**options):
    def run(training, steps):
        with MemoryProfiler(training.model, out=io.StringIO(), **options) as profiler:
            # The first iterations are followed layer by layer: they are paid once in a training.
            training.timed(3, profiler.record_stats)
            return training.timed(steps, profiler.record_stats)

    return run


def torch_profiler(training, steps):
    activities = [torch.profiler.ProfilerActivity.CPU]
    if training.device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
        return training.timed(steps, profiler.step)


WAYS = {
    "none": alone,
    "highwater, a table every 5": highwater(print_period=5, csv=True),
    "highwater, a table each": highwater(print_period=1, csv=True),
    "highwater, each followed": highwater(print_period=5, csv=True, every=1),
    "torch.profiler": torch_profiler,
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    options.add_argument("--batch", type=int, default=8)
    options.add_argument("--size", type=int, default=224)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--steps", type=int, default=5)
    options.add_argument("--ways", help="only those with this word, beside none")
    given = options.parse_args()
    training = Training(given.device, given.batch, given.size)
    for _ in range(3):
        training.step()
    ways = {name: run for name, run in WAYS.items() if name == "none" or (given.ways or "") in name}
    seconds = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        # Where the CSV goes.
        os.chdir(folder)
        for number in range(given.rounds):
            # In another order each time: what comes first may find a warmer or a cooler machine.
            names = list(ways)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                seconds[name].append(ways[name](training, given.steps))
        os.chdir("/")
    step = {way: statistics.median(times) for way, times in seconds.items()}
    # Each round against its own plain run: neighbours come and go between rounds.
    more = {
        way: statistics.median(a / b - 1 for a, b in zip(times, seconds["none"])) for way, times in seconds.items()
    }
    print(json.dumps({**vars(given), "torch": torch.__version__, "seconds": step, "more": more}))


if __name__ == "__main__":
    main()
