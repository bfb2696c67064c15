"""Writes on every CUDA allocation which layer made it, in which phase of which iteration: `fc1 forward #12`.

torch keeps such a text for each thread. The backward pass runs in threads of autograd's own, so it is written there
by hooks on the graph's nodes; they see gradients come and change nothing.
"""

import threading

from .._compiling import compiling
from .._module_names import named_modules
from .._storage import tensors_in
from .._profiler.module_hooks import ModuleHook, after, before, new_key, out_of_sight
from .._profiler.hooks import watched
from .._profiler.layer_names import OUTSIDE


class _Local(threading.local):
    def __init__(self):
        self.stack = []


class _Enter(ModuleHook):
    __slots__ = ("tagger", "layer", "ran")

    def __init__(self, tagger, layer):
        self.tagger = tagger
        self.layer = layer
        self.ran = False

    def __call__(self, _module, _args, _kwargs=None):
        if self.tagger.enter(self.layer):
            self.ran = True


class _Leave(_Enter):
    __slots__ = ()

    def __call__(self, _module, _args, output):
        self.tagger.leave(self.layer, output)


class Tagger:
    """``write``: torch's own way to set the text of this thread."""

    def __init__(self, torch, model, write, iteration):
        self._torch = torch
        self._write = write
        self._local = _Local()
        self._iteration = iteration
        self._last = None  # the node that has a hook already: a container hands out what its last layer made
        self.calls = 0
        self._handles = []  # of each layer: the hook before it, and the handles of both
        self._rests = False
        self._compiling = compiling(torch)
        key = new_key()
        for layer, module in watched(named_modules(model)):
            enter = _Enter(self, layer)
            self._handles.append((enter, before(module, key, enter), after(module, key, _Leave(self, layer))))
        out_of_sight.begin(torch)
        self.phase("forward")

    def close(self):
        out_of_sight.end()
        for _, *handles in self._handles:
            for handle in handles:
                handle.remove()
        self._handles = []
        self._write("")

    def rest(self):
        """Between two steps: from here on allocations have no tag, rather than an old one."""
        self._rests = True
        self._local.stack.clear()
        self._last = None
        # A hook that never ran was compiled along with its layer, which would be compiled anew without.
        for enter, *handles in self._handles:
            for handle in handles if enter.ran else ():
                handle.remove()
        self._write("")

    def go_on(self):
        self._rests = False
        for enter, *handles in self._handles:
            for handle in handles if enter.ran else ():
                handle.put()

    def phase(self, name, iteration=None):
        """Outside of all layers."""
        if iteration is not None:
            self._iteration = iteration
        if self._rests:
            return
        self._local.stack.clear()
        self._last = None  # of a call that failed
        self.write(OUTSIDE, name)

    def backward(self, roots):
        """A backward pass begins at these tensors: its first thread knows nothing of the last one's end."""
        for root in tensors_in(roots, self._torch):
            if root.grad_fn is not None:
                # The thread of the backward pass has the text of the last step that had tags.
                root.grad_fn.register_prehook(self._clear if self._rests else self._back(OUTSIDE))

    def _clear(self, _gradients):
        self._write("")

    def write(self, layer, phase):
        self.calls += 1
        self._write("%s %s #%d" % (layer, phase, self._iteration))

    def enter(self, layer):
        """Whether this is a call, and not a part of what is compiled."""
        if self._compiling():
            return False
        if not self._rests:
            self._local.stack.append(layer)
            self.write(layer, self._now())
        return True

    def leave(self, layer, output):
        if self._compiling() or self._rests:
            return
        stack = self._local.stack
        # Layers that ended by an exception may lie above.
        while stack and stack.pop() is not layer:
            pass
        try:
            self._mark(layer, output)
        except Exception:
            pass  # within torch.func nodes take no hooks
        self.write(stack[-1] if stack else OUTSIDE, self._now())

    def _now(self):
        """What is computed again for a checkpoint is part of the backward pass."""
        return "backward" if self._torch._C._current_graph_task_id() != -1 else "forward"

    def _mark(self, layer, output):
        for tensor in tensors_in(output, self._torch):
            node = tensor.grad_fn
            if node is not None and node is not self._last:
                self._last = node
                node.register_prehook(self._back(layer))
        if not self._local.stack:
            self._last = None  # a graph must not be held until the next call

    def _back(self, layer):
        def before(_gradients):
            self.write(layer, "backward")

        return before


def way_to_write(torch):
    """torch's own, where it has one and CUDA has been started; else None."""
    write = getattr(torch._C, "_cuda_setMemoryMetadata", None)
    return write if write is not None and torch.cuda.is_initialized() else None
