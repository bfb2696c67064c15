"""Each optimizer's step is told once, whatever torch.compile does to torch's own hooks."""

import unittest

from needs import needs_torch, run

PROGRAM = """
import torch
from highwater._optimizer_hooks import optimizer_hooks

told = []
hooks = optimizer_hooks(torch)
hooks.register_optimizer_step_pre_hook(lambda optimizer, *_: told.append("before"))
ends = hooks.register_optimizer_step_post_hook(lambda optimizer, *_: told.append("after"))

def train(optimizer):
    told.clear()
    optimizer.step()
    return told == ["before", "after"]

def weight():
    weight = torch.nn.Parameter(torch.ones(4))
    weight.grad = torch.ones(4)
    return weight

class Own(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})

    def step(self, closure=None):
        pass

class Heir(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)

class Broken(torch.optim.SGD):
    def _init_group(self, *args):
        raise ValueError("broken")

early, scheduled = torch.optim.Adam([weight()]), torch.optim.SGD([weight()], lr=0.1)
torch.optim.lr_scheduler.StepLR(scheduled, 1)
broken = Broken([weight()], lr=0.1)
print(train(early), train(scheduled), train(Own([weight()])))
try:
    broken.step()
except ValueError:
    pass
compiled = torch.compile(torch.nn.Linear(4, 4), backend="eager")
compiled(torch.ones(2, 4))
print(train(early), train(scheduled), train(Own([weight()])))
print(train(torch.optim.Adam([weight()])), train(torch.optim.RMSprop([weight()])))
told.clear()
Heir([weight()], lr=0.1).step()
print(told[0], told[-1])
try:
    told.clear()
    broken.step()
except ValueError:
    print(told)
print(early.param_groups[0]["params"][0][0].item() < 1)
ends.remove()
told.clear()
early.step()
print(told)
"""


@needs_torch
class Hooks(unittest.TestCase):
    def test_steps_are_told_before_and_after_something_was_compiled(self):
        code, out, errors = run(PROGRAM)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(
            out.splitlines(),
            ["True True True", "True True True", "True True", "before after", "['before']", "True", "['before']"],
        )


if __name__ == "__main__":
    unittest.main()
