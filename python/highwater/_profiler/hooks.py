"""Hooks on modules: which layer is running."""

from contextlib import nullcontext


class _Hook:
    """Belongs to a layer by name, so that it holds no module."""

    __slots__ = ("tracker", "layer")

    def __init__(self, tracker, layer):
        self.tracker = tracker
        self.layer = layer

    def __reduce__(self):
        # A model that is copied or saved must not take the profiler along, nor need this package to be
        # loaded: its hooks become a callable of the standard library that takes anything and does nothing.
        return getattr, (nullcontext(), "__exit__")


class Enter(_Hook):
    __slots__ = ()

    def __call__(self, _module, args, kwargs):
        tracker = self.tracker
        if tracker.is_compiling():
            return
        self.enter(args, kwargs)

    def enter(self, args, kwargs):
        tracker = self.tracker
        stack = tracker.local.stack
        if not stack:
            try:
                tracker.begin(self.layer, args, kwargs)
            except Exception:
                # Within torch.func tensors have no storage to ask for.
                pass
        stack.append(self.layer)


class Gate(Enter):
    """Stays on the layers that calls begin with, also while all other hooks are off."""

    __slots__ = ("called",)

    def __init__(self, tracker, layer, called):
        super().__init__(tracker, layer)
        self.called = called  # (layer, module, args, kwargs) → whether hooks were set just now

    def __call__(self, module, args, kwargs):
        tracker = self.tracker
        if tracker.is_compiling():
            return
        try:
            if not tracker.in_backward() and self.called(self.layer, module, args, kwargs):
                # For those of this module it was too late.
                self.enter(args, kwargs)
        except Exception:
            pass


class Leave(_Hook):
    __slots__ = ()

    def __call__(self, _module, _args, output):
        tracker = self.tracker
        if tracker.is_compiling():
            return
        stack, layer = tracker.local.stack, self.layer
        # Layers that ended by an exception may lie above.
        while stack and stack.pop() is not layer:
            pass
        try:
            if tracker.armed:
                tracker.left(layer, output)
            if not stack:
                tracker.end()
        except Exception:
            pass


def attach(modules, tracker):
    """Hooks every module, given as (layer, module); returns the handles that take them off."""
    handles = []
    for layer, module in modules:
        handles.append(module.register_forward_pre_hook(Enter(tracker, layer), with_kwargs=True))
        try:
            handle = module.register_forward_hook(Leave(tracker, layer), always_call=True)
        except TypeError:
            # torch 2.0: a layer that raises is found out later.
            handle = module.register_forward_hook(Leave(tracker, layer))
        handles.append(handle)
    return handles
