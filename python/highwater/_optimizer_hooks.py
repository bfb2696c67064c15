"""Hooks around each step of all optimizers, in every version of torch.

When torch 2.0 to 2.2 compile something for the first time, they take their hooks off all optimizers of torch's own, and
put none on those that are made later. There one of ours lies below theirs, around the step itself, and speaks where
theirs is silent.
"""

import functools
from importlib import import_module

from ._compiling import compiling, older_than

_kept = None


def optimizer_hooks(torch):
    """What takes hooks as the module ``torch.optim.optimizer`` does."""
    global _kept
    module = import_module("torch.optim.optimizer")
    if not older_than(torch, 2, 3) or not hasattr(module.Optimizer, "profile_hook_step"):
        return module
    if _kept is None:
        _kept = KeptHooks(torch, module)
    return _kept


class KeptHooks:
    def __init__(self, torch, module):
        self._module = module
        self._before, self._after = [], []
        self._handles = ()  # of theirs, while anybody listens
        self._compiling = compiling(torch)
        self._told = set()  # ids of the optimizers in whose step torch's own hook has spoken
        theirs = module.Optimizer.profile_hook_step
        for kind in list(vars(torch.optim).values()):
            if isinstance(kind, type) and issubclass(kind, module.Optimizer) and "step" in vars(kind):
                self._lie_below(kind, theirs)

    def register_optimizer_step_pre_hook(self, hook):
        return self._add(self._before, hook)

    def register_optimizer_step_post_hook(self, hook):
        return self._add(self._after, hook)

    def _add(self, hooks, hook):
        self._handles = self._handles or (
            self._module.register_optimizer_step_pre_hook(self._begins),
            self._module.register_optimizer_step_post_hook(self._ends),
        )
        return Handle(hooks, hook, self._removed)

    def _removed(self):
        if not self._before and not self._after:
            for handle in self._handles:
                handle.remove()
            self._handles = ()
            self._told.clear()

    def _lie_below(self, kind, theirs):
        step = vars(kind)["step"]
        if getattr(step, "__code__", None) is not theirs(_nothing).__code__:
            kind.step = self._around(step)  # theirs is not there yet, or no more
            return
        kind.step = theirs(self._around(step.__wrapped__))
        kind.step.hooked = True

    def _around(self, original):
        kept = self

        @functools.wraps(original)
        def step(self, *args, **kwargs):
            # While a step is compiled this is all that is compiled of us.
            if kept._compiling():
                return original(self, *args, **kwargs)
            if id(self) in kept._told:
                try:
                    return original(self, *args, **kwargs)
                except BaseException:
                    kept._told.discard(id(self))  # theirs will not say that it ended
                    raise
            for hook in list(kept._before):
                hook(self, args, kwargs)
            result = original(self, *args, **kwargs)
            for hook in list(kept._after):
                hook(self, args, kwargs)
            return result

        return step

    def _begins(self, optimizer, args, kwargs):
        if not self._compiling():
            self._told.add(id(optimizer))
            for hook in list(self._before):
                hook(optimizer, args, kwargs)

    def _ends(self, optimizer, args, kwargs):
        if not self._compiling():
            self._told.discard(id(optimizer))
            for hook in list(self._after):
                hook(optimizer, args, kwargs)


class Handle:
    """A hook in a list, until it is removed."""

    def __init__(self, hooks, hook, removed=None):
        self._hooks, self._hook, self._removed = hooks, hook, removed
        hooks.append(hook)

    def remove(self):
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)
            if self._removed is not None:
                self._removed()


def _nothing():
    pass
