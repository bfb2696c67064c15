"""A training of ResNet-50 with no line of Highwater's: prints seconds a step as JSON, for bench/injection.ts.

On the CPU a second is one of CPU time, all threads together, the agent's too; on a GPU it is one of the clock, from a
synchronised start to a synchronised end.
"""

import argparse
import json

from resnet import Training

options = argparse.ArgumentParser()
options.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
options.add_argument("--batch", type=int, default=8)
options.add_argument("--size", type=int, default=224)
options.add_argument("--steps", type=int, default=10)
given = options.parse_args()
training = Training(given.device, given.batch, given.size)
for _ in range(2):
    training.step()
print(json.dumps({"seconds": training.timed(given.steps, lambda: None)}))
