"""What is watched in a program that imported torch, without a line of its own (docs/injection.md)."""

import functools
import os
from importlib import import_module

from .._agent import agent
from .._compiling import compiling, natively, skip
from .._optimizer_hooks import optimizer_hooks
from . import passes
from .limit import hold
from .oom import watch
from .outside import watch as watch_outside
from .step_hooks import StepHooks
from .steps import Steps, quiet
from .takers import follow


def arm(torch):
    quiet(hold, torch)
    quiet(watch, torch)
    quiet(watch_outside, torch)
    quiet(follow, torch)
    quiet(passes.arm, torch)
    if not hasattr(import_module("torch.optim.optimizer"), "register_optimizer_step_post_hook"):
        agent.send({"type": "warning", "text": "torch %s has no hooks for optimizers: no steps" % torch.__version__})
        return
    steps = Steps(torch)
    is_compiling = compiling(torch)
    hooks = StepHooks(optimizer_hooks(torch), is_compiling)
    hooks.register_optimizer_step_pre_hook(lambda optimizer, *_: steps.step_begins(optimizer))
    hooks.register_optimizer_step_post_hook(lambda optimizer, *_: steps.step_ends(optimizer))
    quiet(_trackers, torch, hooks, steps)
    _follow_backward(torch, steps, is_compiling, quiet(_layers, torch, hooks, steps))


def _trackers(torch, hooks, steps):
    if os.environ.get("HIGHWATER_TRACK", "").lower() not in ("1", "true", "yes", "on"):
        return
    from .trackers import Trackers

    trackers = Trackers(torch, steps)
    # After the hook of the steps, which counts them.
    hooks.register_optimizer_step_post_hook(lambda optimizer, *_: trackers.step_ends(optimizer))


def _layers(torch, hooks, steps):
    if os.environ.get("HIGHWATER_LAYERS") != "1":
        return None
    from .layers import Layers

    return Layers(torch, hooks, steps)


def _follow_backward(torch, steps, is_compiling, layers):
    # Tensor.backward goes through this one too.
    original = torch.autograd.backward
    quietly = natively(torch, quiet)

    @functools.wraps(original)
    def backward(*args, **kwargs):
        if is_compiling():
            return original(*args, **kwargs)
        if layers is not None:
            quietly(layers.backward_begins, args[0] if args else kwargs.get("tensors"))
        if not quietly(steps.backward_begins):
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            quietly(steps.backward_ends)

    quiet(skip, torch, backward)
    torch.autograd.backward = backward
