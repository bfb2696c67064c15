"""Hooks on modules: which layer is running."""

from .layer_names import layer_name, region_name
from .module_hooks import ModuleHook, after, before, is_compiled


class _Hook(ModuleHook):
    def __init__(self, tracker, layer):
        self.tracker = tracker
        self.layer = layer

    def __call__(self, module, args, more=None):
        tracker = self.tracker
        if tracker.is_compiling():
            return
        if tracker.set_compiler is None:
            self.run(module, args, more)
            return
        compiler = tracker.set_compiler(None)
        try:
            self.run(module, args, more)
        finally:
            tracker.set_compiler(compiler)


class Enter(_Hook):
    def __init__(self, tracker, layer):
        super().__init__(tracker, layer)
        self.ran = False

    def run(self, module, args, kwargs):
        self.ran = True
        if self.tracker.armed:
            self.enter(module, args, kwargs)

    def enter(self, module, args, kwargs):
        tracker = self.tracker
        stack = tracker.local.stack
        if not stack:
            try:
                tracker.begin(module, args, kwargs)
            except Exception:
                # Within torch.func tensors have no storage to ask for.
                pass
        stack.append(self.layer)


class Gate(Enter):
    """Stays on the layers that calls begin with, also while all other hooks are off."""

    def __init__(self, tracker, layer, called):
        super().__init__(tracker, layer)
        self.called = called  # (layer, module, args, kwargs) → whether hooks were set just now

    def run(self, module, args, kwargs):
        try:
            if not self.tracker.in_backward() and self.called(self.layer, module, args, kwargs):
                # For those of this module it was too late.
                self.enter(module, args, kwargs)
        except Exception:
            pass


class Leave(_Hook):
    def run(self, _module, _args, output):
        tracker = self.tracker
        stack, layer = tracker.local.stack, self.layer
        if layer not in stack:
            return  # it began when this iteration was not followed
        # Layers that ended by an exception may lie above.
        while stack.pop() != layer:
            pass
        try:
            if tracker.armed:
                tracker.left(layer, output)
            if not stack:
                tracker.end()
        except Exception:
            pass


class LayerHooks:
    """Those of one module, from one iteration that is followed to the next."""

    def __init__(self, tracker, layer, module, key):
        self.layer = layer
        self._enter = Enter(tracker, layer)
        self._handles = before(module, key, self._enter), after(module, key, Leave(tracker, layer))

    def is_on(self, module):
        return self._handles[0].is_on(module)

    def put(self):
        for handle in self._handles:
            handle.put()

    def rest(self):
        """Off until the next time. A hook that never ran costs nothing and stays: its layer is not used, or was
        compiled with it, and would be compiled anew without."""
        if self._enter.ran:
            self.remove()

    def remove(self):
        for handle in self._handles:
            handle.remove()


def watched(modules):
    """(layer, module) of those among (name, path, module) whose hooks run: a compiled region is one layer, and has none inside."""
    inside = ()
    for name, path, module in modules:
        if inside and (path + ".").startswith(inside):
            continue
        region = is_compiled(module) or has_compiled_inside(module)
        if region:
            inside += (path + "." if path else "",)
        yield region_name(layer_name(name)) if region else layer_name(name), module


def has_compiled_inside(module):
    """Whether it is what ``torch.compile(module)`` returns."""
    kind = type(module)
    return kind.__name__ == "OptimizedModule" and kind.__module__.startswith("torch._dynamo")
