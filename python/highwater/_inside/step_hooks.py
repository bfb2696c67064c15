"""One pair of hooks for all optimizers, handed on to whoever listens.

torch goes through its own hooks with no copy of them, so that none may come or go while a step ends; here they may.
"""


class StepHooks:
    """Takes hooks as the module ``torch.optim.optimizer`` does."""

    def __init__(self, module, compiling):
        self._before, self._after = [], []
        # While torch.compile traces a step there is nothing to be told, and a hook that spoke would break the graph.
        module.register_optimizer_step_pre_hook(lambda *args: compiling() or _tell(self._before, args))
        module.register_optimizer_step_post_hook(lambda *args: compiling() or _tell(self._after, args))

    def register_optimizer_step_pre_hook(self, hook):
        return _Handle(self._before, hook)

    def register_optimizer_step_post_hook(self, hook):
        return _Handle(self._after, hook)


class _Handle:
    def __init__(self, hooks, hook):
        self._hooks, self._hook = hooks, hook
        hooks.append(hook)

    def remove(self):
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


def _tell(hooks, args):
    for hook in list(hooks):
        try:
            hook(*args)
        except Exception:
            pass  # whatever goes wrong in here must not end a training
