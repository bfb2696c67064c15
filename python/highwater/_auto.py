"""What is watched in a program that imported torch, without a line of its own (docs/injection.md)."""

import functools
from importlib import import_module

from ._agent import agent
from ._oom import watch
from ._steps import Steps, quiet


def arm(torch):
    quiet(watch, torch)
    optimizers = import_module("torch.optim.optimizer")
    if not hasattr(optimizers, "register_optimizer_step_post_hook"):
        agent.send({"type": "warning", "text": "torch %s has no hooks for optimizers: no steps" % torch.__version__})
        return
    steps = Steps(torch)
    compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) or _never
    _follow_optimizers(optimizers, steps, compiling)
    _follow_backward(torch.autograd, steps, compiling)


def _follow_optimizers(module, steps, compiling):
    # While torch.compile traces a step there is nothing to be told, and a hook that spoke would break the graph.
    def before(optimizer, args, kwargs):
        if not compiling():
            quiet(steps.step_begins, optimizer)

    def after(optimizer, args, kwargs):
        if not compiling():
            quiet(steps.step_ends, optimizer)

    module.register_optimizer_step_pre_hook(before)
    module.register_optimizer_step_post_hook(after)


def _follow_backward(autograd, steps, compiling):
    # Tensor.backward goes through this one too.
    original = autograd.backward

    @functools.wraps(original)
    def backward(*args, **kwargs):
        if compiling() or not quiet(steps.backward_begins):
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            quiet(steps.backward_ends)

    autograd.backward = backward


def _never():
    return False
