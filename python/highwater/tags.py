"""Tagged allocation lines of a PyTorch program, for ``highwater analyze`` (docs/analyze.md).

torch is the user's: it is imported only when it is asked for. Whatever goes wrong in here costs lines,
never the program.
"""

import atexit
import bisect
import sys
import weakref
from importlib import import_module

from ._module_names import named_modules, named_tensors
from ._optimizer_hooks import optimizer_hooks
from ._storage import tells_ends
from ._tag_lines import Lines, Storage

_current = None


def log_allocations(model=None, write=None):
    """Writes a line to stderr for each storage that torch makes or gives back; returns what ends it.

    Names are those of ``model``; without one, of the module that is called first. Lines begin with what
    its parameters and buffers hold. Asked for twice, it is still one line an event.
    """
    global _current
    if _current is not None:
        return _current.stop
    try:
        import torch

        if not tells_ends(torch):
            print("highwater: lines of tagged allocations need a newer torch than %s" % torch.__version__, file=sys.stderr)
            return lambda: None
        _current = _Watch(torch, Lines(write))
        _current.start(model)
    except Exception:
        _current = None
        return lambda: None
    atexit.register(_current.stop)
    return _current.stop


def _quietly(function):
    def wrapped(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception:
            return None

    return wrapped


class _Watch:
    def __init__(self, torch, lines):
        self._torch = torch
        self._lines = lines
        self._storages = {}  # address of the storage's own struct → (weak reference, Storage)
        self._names = {}  # id of a module → its name
        self._parameters = {}  # id of a parameter → its name
        self._called = []  # names of the modules that are running, innermost last
        self._steps = ([0], [""])  # autograd's sequence numbers at which another module began to run
        self._updating = False
        self._root = None
        self._mode = None
        self._handles = []

    def start(self, model):
        # Not all submodules are attributes of their packages.
        hooks = import_module("torch.nn.modules.module")
        optim = optimizer_hooks(self._torch)
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
            optim.register_optimizer_step_pre_hook(self._before_update),
            optim.register_optimizer_step_post_hook(self._after_update),
        ]
        if model is not None:
            self._adopt(model)

    def stop(self):
        """Ends it and writes what waits."""
        global _current
        _current = None
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._mode is not None and self._modes()[-1:] == [self._mode]:
            self._mode.__exit__(None, None, None)
        self._mode = None
        self._lines.flush()

    def _modes(self):
        return import_module("torch.utils._python_dispatch")._get_current_dispatch_mode_stack()

    def _adopt(self, model):
        """Learns the names of a model and says what it holds."""
        self._root = weakref.ref(model)
        modules = list(named_modules(model))
        self._names = {id(module): name for name, _, module in modules}
        for name, parameter in named_tensors(modules, "_parameters"):
            self._parameters[id(parameter)] = name
            self._become(parameter, "in_arg:" + name)
            if parameter.requires_grad and hasattr(parameter, "register_post_accumulate_grad_hook"):
                self._handles.append(parameter.register_post_accumulate_grad_hook(self._has_gradient))
        for name, buffer in named_tensors(modules, "_buffers"):
            self._become(buffer, "aux_state:" + name)
        # Another's mode is to be left as it is: modes end in the order in which they began.
        if self._mode is None and not self._modes():
            self._mode = _mode(self._torch, self._made)
            self._mode.__enter__()

    @_quietly
    def _enter(self, module, _inputs):
        if not self._called:
            if self._root is None or self._mode is None:
                self._adopt(module)
            self._lines.flush()
        self._called.append(self._names.get(id(module)) or type(module).__name__)
        self._mark()

    @_quietly
    def _leave(self, _module, _inputs, _outputs):
        if self._called:
            self._called.pop()
        self._mark()

    def _mark(self):
        """From here on, steps of the backward pass undo what this module does."""
        numbers, names = self._steps
        numbers.append(self._torch.autograd._get_sequence_nr())
        names.append(self._called[-1] if self._called else "")
        if len(numbers) > 200_000:
            del numbers[1:100_000], names[1:100_000]

    @_quietly
    def _before_update(self, *_):
        self._updating = True

    @_quietly
    def _after_update(self, optimizer, *_):
        self._updating = False
        for parameter, state in optimizer.state.items():
            name = self._parameters.get(id(parameter), "")
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, self._torch.Tensor):
                    self._become(value, "_optimizer_state_" + name)
        self._lines.flush()

    @_quietly
    def _has_gradient(self, parameter):
        self._become(parameter.grad, "arg_grad:" + self._parameters[id(parameter)])

    @_quietly
    def _become(self, tensor, tag):
        known = self._storage(tensor, tag)
        if known is not None:
            known.tag = tag

    @_quietly
    def _made(self, operation, inputs, outputs):
        for tensor in inputs:
            self._storage(tensor, "data")
        tag = None
        for tensor in outputs:
            if tag is None:
                tag = self._purpose(operation, made_of_nothing=not inputs)
            self._storage(tensor, tag)

    def _purpose(self, operation, made_of_nothing):
        name = operation._schema.name.split("::")[-1].strip("_")
        if self._torch._C._current_graph_task_id() != -1:
            return "backward_features:%s@%s" % (self._undone(), name)
        if self._updating:
            return "_optimizer_update_" + name
        if not self._called and (made_of_nothing or name in ("lift_fresh", "to_copy")):
            return "data"
        return "forward_features:%s@%s" % (self._called[-1] if self._called else "", name)

    def _undone(self):
        """The module whose forward step is being undone, by the number that autograd gave it then."""
        node = self._torch._C._current_autograd_node()
        if node is None:
            return ""
        numbers, names = self._steps
        return names[max(0, bisect.bisect_right(numbers, node._sequence_nr()) - 1)]

    def _storage(self, tensor, tag):
        """What is known of a tensor's storage; a new one is told, as being what ``tag`` says."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        known = self._storages.get(key)
        if known is not None:
            return known[1]
        size = storage.nbytes()
        if size == 0 or storage.device.type == "meta":
            return None
        told = Storage(size, "CPU" if storage.device.type == "cpu" else "GPU", tag)
        storages, lines = self._storages, self._lines

        def gone(_):
            storages.pop(key, None)
            lines.add("Release", told)

        storages[key] = (weakref.ref(storage, gone), told)
        lines.add("Allocate", told)
        return told


def _mode(torch, made):
    """Sees every operation, also those of the backward pass, which autograd runs in its own threads."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    def tensors(values):
        return [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            made(function, tensors((args, kwargs)), tensors(result))
            return result

    return Watching()
