"""The optimizers of a model: those that are given, and those that are seen to take a step on its parameters."""

import weakref

from .._compiling import compiling, inside_compiled
from .._optimizer_hooks import optimizer_hooks

# Where hooks are registered if not with torch itself: a program without a line of ours has its model found within one.
hooks = None


class Optimizers:
    def __init__(self, torch, given, is_ours, before, after):
        self._compiling, self._inside_compiled = compiling(torch), inside_compiled(torch)
        self._references = [weakref.ref(optimizer) for optimizer in given]
        self._is_ours = is_ours
        self._before = before
        self._after = after
        module = hooks or optimizer_hooks(torch)
        self._handles = [
            module.register_optimizer_step_pre_hook(self._pre),
            module.register_optimizer_step_post_hook(self._post),
        ]

    def all(self):
        return [optimizer for optimizer in (reference() for reference in self._references) if optimizer]

    def signature(self):
        """The same as before means: they keep what they kept. None where one cannot tell."""
        found = []
        for optimizer in self.all():
            kind = type(optimizer)
            # torch's own make their state at once for good, but one, which keeps a history.
            if not kind.__module__.startswith("torch.optim") or kind.__name__ == "LBFGS":
                return None
            found.append((id(optimizer.state), len(optimizer.state)))
        return found

    def close(self):
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _pre(self, optimizer, *_):
        if self._sees(optimizer):
            self._before()

    def _post(self, optimizer, *_):
        if self._sees(optimizer):
            if not any(reference() is optimizer for reference in self._references):
                self._references.append(weakref.ref(optimizer))
            self._after()

    def _sees(self, optimizer):
        """Not a step that is compiled: it would be compiled with all that we do."""
        return not self._compiling() and not self._inside_compiled() and self.of_this_model(optimizer)

    def of_this_model(self, optimizer):
        groups = optimizer.param_groups
        return any(self._is_ours(parameter) for group in groups for parameter in group["params"])


def as_list(optimizer):
    """The ``optimizer`` argument: none, one or several."""
    if optimizer is None:
        return []
    several = list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
    for one in several:
        if not hasattr(one, "state") or not hasattr(one, "param_groups"):
            raise ValueError("optimizer must be a torch.optim.Optimizer or a list of them, got %s" % type(one).__name__)
    return several
