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
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import torch  # noqa: E402
from highwater import MemoryProfiler  # noqa: E402
from torch import nn  # noqa: E402


class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride):
        super().__init__()
        outside = 4 * width
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outside, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None
        if stride != 1 or inside != outside:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.shortcut is None else self.shortcut(x)
        return self.relu(out)


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inside = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inside, width, stride if block == 0 else 1))
            inside = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


class Training:
    def __init__(self, device, batch, size):
        torch.manual_seed(0)
        self.device = device
        self.model = resnet50().to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001, momentum=0.9)
        self.images = torch.randn(batch, 3, size, size, device=device)
        self.labels = torch.randint(0, 1000, (batch,), device=device)

    def step(self):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()

    def timed(self, steps, after):
        """Seconds a step."""
        wait = torch.cuda.synchronize if self.device == "cuda" else lambda: None
        clock = time.perf_counter if self.device == "cuda" else time.process_time
        wait()
        start = clock()
        for _ in range(steps):
            self.step()
            after()
        wait()
        return (clock() - start) / steps


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
