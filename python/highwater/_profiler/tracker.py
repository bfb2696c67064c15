"""Follows a model's layers through forward and backward: what autograd saves, and where the peak is.

It holds no tensor longer than autograd does, and neither model nor profiler.
"""

import threading
import weakref

from .gradient_hooks import Flow
from .hook_stack import HookStack, make_way, stop_making_way
from .inputs import Inputs
from .layer_names import OUTSIDE, outside_name
from .ledger import DROPPED, FLOW, FLOWN, GRADIENT, GRADIENTS, OUTPUT, SAVE, WAITING, Ledger
from .saved import Counted, Kept, Passed
from .._compiling import compiling, set_compiler
from .._storage import quiet_storages, storages, tells_ends, tensors_in

_trackers = []


def _nothing(*_):
    pass


class _Local(threading.local):
    def __init__(self):
        self.stack = []  # names of the layers that are running, innermost last
        self.pushed = False
        self.borrowed = False  # on torch's stack for one call


class Tracker:
    def __init__(self, torch, counters):
        self._torch = torch
        self._plain = (torch.Tensor, torch.nn.Parameter)
        self._hooks = HookStack(torch)
        self._counters = counters
        # Hooks that are there before ours go on doing their work, below ours.
        self._inner = None
        self._before = self._hooks.top()
        self._last_output = None
        self._flow_refs = {}
        self._output_refs = {}
        self._storages_live = tells_ends(torch)
        self.ledger = Ledger()
        self.local = _Local()
        self.owned = {}  # storages of weights and buffers
        self.inputs = Inputs(self._storages_live)
        self.enter = _nothing  # set by the profiler: brings ``owned`` up to date
        self.gradients_now = dict  # set by the profiler: {storage: bytes}
        self._backward = False
        self.armed = False  # this iteration is followed
        self.entered = _nothing  # set by the profiler: told which module a call begins with
        self.is_compiling = compiling(torch)
        self.set_compiler = set_compiler(torch)
        # One and the same object, so that it is known again on torch's stack.
        self._pack = self._pack_one
        self._unpack = self._unpack_one
        counters.parts = self._parts_now

    def start(self):
        make_way(self._torch, _trackers)
        _trackers.append(self)

    def arm(self):
        """From here on what autograd saves is seen."""
        self.armed = True
        top = self._hooks.top()
        # Above hooks that the training loop has set for a while ours would be taken off in their place.
        if not self.local.pushed and (top is None or self._stays(top[0])):
            self._inner = top
            self.local.pushed = self._hooks.push(self._pack, self._unpack)

    def disarm(self):
        """Hooks that others have covered stay where they are and do nothing but hand on."""
        self.armed = False
        # An old torch does not tell what would be taken off: ours stay until the end.
        if self.local.pushed and self._hooks.tells and self._hooks.pop(self._pack):
            self.local.pushed = False

    def stop(self):
        self.disarm()
        if self.local.pushed and self._hooks.pop(self._pack):
            self.local.pushed = False
        if self in _trackers:
            _trackers.remove(self)
            stop_making_way(self._torch)

    def _stays(self, pack):
        """Whether hooks on top are another profiler's, or older than this one."""
        if any(pack is tracker._pack for tracker in _trackers):
            return True
        return self._before is not None and pack is self._before[0]

    def step_aside(self):
        if self.local.pushed and self._hooks.pop(self._pack):
            self.local.pushed = False
            return True
        return False

    def step_back(self):
        self.local.pushed = self._hooks.push(self._pack, self._unpack)

    # A call of the model, or of a part of it by the user.

    def begin(self, module, args, kwargs):
        if not self.armed or self.in_backward():
            return
        self.entered(module)
        self.ledger.settle()
        if not self.local.pushed and self._hooks.top() is None:
            # Another thread than the profiler's: hooks for this call alone.
            self.local.borrowed = self._hooks.push(self._pack, self._unpack)
        self.enter()
        given = self._given(args, kwargs)
        self.inputs.give(given)
        for tensor in given:
            self.inputs.add(tensor, self._is_counted)
        self.ledger.standing["input"] = self.inputs.total()
        self._last_output = None
        self._backward = False

    def refer(self, args, kwargs):
        """A call that is not followed: its inputs live on for as long as the program holds them."""
        self.inputs.give(self._given(args, kwargs))

    def _given(self, args, kwargs):
        return [tensor for tensor in tensors_in((args, kwargs), self._torch) if tensor.grad_fn is None]

    def _is_counted(self, storage):
        return storage in self.owned or self.ledger.holds(storage)

    def end(self):
        if self.in_backward():
            return
        if self.local.borrowed:
            self.local.borrowed = False
            self._hooks.pop(self._pack)
        self._counters.position = (OUTSIDE, "forward")
        self.ledger.settle()

    def forget(self):
        """An iteration begins: no gradient of the last one is on its way."""
        self._flow_refs.clear()

    def left(self, layer, output):
        """A layer has run."""
        self._counters.at(layer, "forward")
        with_gradients = self._torch.is_grad_enabled()
        for tensor in (output,) if type(output) is self._torch.Tensor else tensors_in(output, self._torch):
            # A container hands out what its last layer made.
            if id(tensor) == self._last_output:
                continue
            if not self.in_backward():
                self._made(layer, tensor)
            if with_gradients and tensor.requires_grad and tensor.grad_fn is not None:
                self._last_output = id(tensor)
                tensor.register_hook(Flow(self, layer))

    def _made(self, layer, tensor):
        """A layer's output: it lives for as long as the program or autograd holds it."""
        if type(tensor) not in self._plain or tensor.layout is not self._torch.strided or tensor.is_meta:
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self.owned and key not in self.inputs:
            self._watch_end(self._output_refs, key, storage, tensor, (OUTPUT, key, storage.nbytes(), layer), DROPPED)

    def flowed(self, layer, gradient):
        if not self.armed or gradient.layout is not self._torch.strided:
            return
        storage = gradient.untyped_storage()
        if storage.device.type == "meta":
            return
        key = storage._cdata
        came = (FLOW, key, storage.nbytes(), layer, self._torch._C._current_graph_task_id())
        self._watch_end(self._flow_refs, key, storage, gradient, came, FLOWN)

    def _watch_end(self, refs, key, storage, tensor, came, gone):
        """Two events: a storage came, and it is gone."""
        if key in refs:
            return
        events = self.ledger.events

        def end(_):
            refs.pop(key, None)
            events.append((gone, key))

        events.append(came)
        refs[key] = weakref.ref(storage if self._storages_live else tensor, end)

    def accumulated(self, layer, parameter):
        for storage, size, _ in quiet_storages(parameter.grad):
            self.ledger.events.append((GRADIENT, storage, size, layer))

    def in_backward(self):
        return self._torch._C._current_graph_task_id() != -1

    def _parts_now(self):
        self.ledger.settle()
        return self.ledger.parts()

    # What autograd saves.

    def _pack_one(self, tensor):
        stack = self.local.stack
        layer = stack[-1] if stack else outside_name()
        if self._inner is not None:
            return self._pass_on(tensor, layer)
        try:
            version = tensor._version
            if type(tensor) not in self._plain or tensor.is_sparse:
                kept = self._count([tensor], layer)
                return Counted(tensor.detach(), version, layer, kept, self.ledger.events)
            storage = tensor.untyped_storage()
            key = storage._cdata
            if key in self.owned or key in self.inputs or not self.armed or tensor.is_meta or self._is_weight(tensor):
                return Kept(tensor if tensor.is_leaf else tensor.detach(), version, layer)
            events = self.ledger.events
            events.append((SAVE, key, storage.nbytes(), layer, tensor.get_device()))
            if len(events) > WAITING:
                self.ledger.settle()
            # Not the tensor itself: an output that is kept by its own graph would never be freed.
            return Counted(tensor.detach(), version, layer, (key,), events)
        except Exception:
            return Kept(tensor.detach(), tensor._version, layer)

    def _pass_on(self, tensor, layer):
        pack, unpack = self._inner
        value = pack(tensor)
        inside = value
        while isinstance(inside, Passed):
            inside = inside.value
        if isinstance(inside, Kept):
            # Another profiler's, which keeps the tensor as it is.
            inside = tensor
        try:
            kept = self._count(tensors_in(inside, self._torch), layer)
        except Exception:
            kept = ()
        return Passed(value, unpack, layer, kept, self.ledger.events)

    def _count(self, tensors, layer):
        kept = []
        for tensor in tensors:
            for storage, size, device in storages(tensor) if not self._is_weight(tensor) else ():
                if self.armed and storage not in self.owned and storage not in self.inputs:
                    self.ledger.events.append((SAVE, storage, size, layer, device))
                    kept.append(storage)
        return tuple(kept)

    def _is_weight(self, tensor):
        """Whether it is, or looks at, a parameter or a leaf that wants a gradient: a weight, though perhaps of another model,
        or one that FSDP has gathered."""
        base = tensor._base
        if base is None:
            base = tensor
        return base.is_leaf and (base.requires_grad or type(base) is self._plain[1])

    def _unpack_one(self, kept):
        if self.armed:
            self._follow_back(kept.layer)
        return kept.open()

    def _follow_back(self, layer):
        try:
            if not self._backward:
                # Since the forward pass began, zero_grad() may have let old gradients go.
                self._backward = True
                self.ledger.events.append((GRADIENTS, self.gradients_now()))
            self._counters.at(layer, "backward")
        except Exception:
            pass
