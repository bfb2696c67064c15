"""One pair of hooks for all optimizers, handed on to whoever listens.

torch goes through its own hooks with no copy of them, so that none may come or go while a step ends; here they may.
"""

from .._optimizer_hooks import Handle


class StepHooks:
    """Takes hooks as the module ``torch.optim.optimizer`` does."""

    def __init__(self, all_optimizers, compiling):
        self._before, self._after = [], []
        # While torch.compile traces a step there is nothing to be told, and a hook that spoke would break the graph.
        all_optimizers.register_optimizer_step_pre_hook(lambda *args: compiling() or _tell(self._before, args))
        all_optimizers.register_optimizer_step_post_hook(lambda *args: compiling() or _tell(self._after, args))

    def register_optimizer_step_pre_hook(self, hook):
        return Handle(self._before, hook)

    def register_optimizer_step_post_hook(self, hook):
        return Handle(self._after, hook)


def _tell(hooks, args):
    for hook in list(hooks):
        try:
            hook(*args)
        except Exception:
            pass  # whatever goes wrong in here must not end a training
