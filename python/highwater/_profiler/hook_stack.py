"""torch's stack of saved-tensor hooks, one for each thread: what is on top is called, and nothing else.

Ours stay on it for as long as an iteration is followed, so that the loss is seen too, and others push and pop
theirs meanwhile. So only what is found on top is ever taken off.
"""

from contextlib import contextmanager

_users = 0
_original = None


class HookStack:
    def __init__(self, torch):
        self._torch = torch
        self._calls = torch._C._autograd
        self.tells = hasattr(self._calls, "_top_saved_tensors_default_hooks")

    def top(self):
        """The (pack, unpack) that is in force; None where there is none, or torch (2.0 to 2.2) cannot tell."""
        ask = getattr(self._calls, "_top_saved_tensors_default_hooks", None)
        if ask is None:
            return None
        try:
            return ask(False)
        except TypeError:
            return ask()

    def push(self, pack, unpack):
        """Whether they are in force now: torch.func forbids hooks while it runs."""
        try:
            self._calls._push_saved_tensors_default_hooks(pack, unpack)
            return True
        except RuntimeError:
            return False

    def pop(self, pack):
        """Takes ours off; False where they are not on top."""
        top = self.top()
        if top is not None and top[0] is not pack:
            return False
        if top is None and self.tells:
            return False
        self._calls._pop_saved_tensors_default_hooks()
        return True


def make_way(torch, ours):
    """torch.func refuses to work while there are hooks: ours are set aside for it. ``ours``: a list of trackers."""
    global _users, _original
    _users += 1
    if _original is not None:
        return
    graph = torch.autograd.graph
    if not hasattr(graph, "disable_saved_tensors_hooks"):
        return
    _original = graph.disable_saved_tensors_hooks

    @contextmanager
    def disable_saved_tensors_hooks(error_message):
        aside = [tracker for tracker in reversed(list(ours)) if tracker.step_aside()]
        try:
            with _original(error_message):
                yield
        finally:
            for tracker in reversed(aside):
                tracker.step_back()

    graph.disable_saved_tensors_hooks = disable_saved_tensors_hooks


def stop_making_way(torch):
    global _users, _original
    _users -= 1
    if _users == 0 and _original is not None:
        torch.autograd.graph.disable_saved_tensors_hooks = _original
        _original = None
