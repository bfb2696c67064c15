"""Tensors in the host's memory that a walk from the program's names meets, by what they are: parameters, gradients, an
optimizer's state, buffers, results that keep their graph, and others by who holds them. What autograd alone keeps is not among
them. No code of the program's runs: a tensor of a class of its own is left out."""

from .._places import with_line
from .._type_facts import is_made_of
from .reached_names import name_of

_ORDER = ("parameter", "gradient", "optimizer state", "buffer", "with graph", "tensor")
_NAMED = ("with graph", "tensor")
# Smaller ones are not asked whether they are pinned, which takes a call of CUDA's.
PINNED_LEAST = 1 << 16


class HostTensors:
    def __init__(self, torch):
        self._torch = torch if hasattr(torch, "nn") and hasattr(torch, "optim") else None  # or it is being loaded
        self._exact = (torch.Tensor, torch.nn.Parameter) if self._torch is not None else ()
        self._bases = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer) if self._torch is not None else ()
        self._found = {category: [] for category in _ORDER}  # pairs of a tensor and its node, or None
        self._modules = set()

    def base_of(self, kind):
        """Tensor, Module or Optimizer, where a type is made of one; else None."""
        return next((base for base in self._bases if is_made_of(kind, base)), None)

    def take(self, node, base):
        """True: it is a tensor, which is not counted elsewhere."""
        if base is self._bases[0]:
            self._take_tensor(node.one, node)
            return True
        if base is self._bases[1]:
            self._take_module(node.one)
        else:
            self._take_states(node.one)
        return False

    @property
    def parameters(self):
        return [parameter for parameter, _ in self._found["parameter"]]

    def take_gradients(self, found):
        self._found["gradient"] += [(one, None) for one in found if type(one) in self._exact]

    def rows(self, seen=()):
        """[category, what, holder, count, bytes, 0]; of several words for one storage the first in order is the truest.

        Of pinned ones a further row has what the allocator took beyond what they asked for. ``seen``: storages that other rows have.
        Returns the rows and all storages.
        """
        seen, groups = set(seen), {}
        pins = self._torch is not None and self._torch.cuda.is_initialized()  # nothing else pins
        for told in _ORDER:
            for tensor, node in self._found[told]:
                storage, size = _storage(tensor)
                if storage is None or storage in seen:
                    continue
                seen.add(storage)
                pinned = pins and size >= PINNED_LEAST and _pinned(tensor)
                category = "pinned" if pinned else told
                holder = with_line(name_of(node)) if node is not None and told in _NAMED else ""
                what = str(tensor.dtype)[6:]
                if pinned:
                    what = "%s %s" % (list(tensor.shape), what)
                    _add(groups, ("pinned rounding", what, holder), rounded(size) - size)
                _add(groups, (category, what, holder), size)
        return [[*key, *figures, 0] for key, figures in groups.items()], seen

    def _take_tensor(self, tensor, node, category=None):
        if type(tensor) not in self._exact:
            return
        if type(tensor) is self._exact[1]:
            category = "parameter"
        self._found[category or ("tensor" if _is_leaf(tensor) else "with graph")].append((tensor, node))

    def _take_module(self, module):
        ahead = [module]
        while ahead:
            attributes = _attributes(ahead.pop())
            if id(attributes) in self._modules:
                continue
            self._modules.add(id(attributes))
            for key, category in (("_parameters", "parameter"), ("_buffers", "buffer")):
                for tensor in _values(attributes.get(key)):
                    self._take_tensor(tensor, None, category)
            ahead += [one for one in _values(attributes.get("_modules")) if one is not None]

    def _take_states(self, optimizer):
        attributes = _attributes(optimizer)
        for group in attributes.get("param_groups") or ():
            for tensor in group.get("params", ()) if type(group) is dict else ():
                # A model's may be plain tensors, but what an optimizer steps is one.
                self._take_tensor(tensor, None, "parameter")
        for state in _values(attributes.get("state")):
            for value in _values(state):
                self._take_tensor(value, None, "optimizer state")


def rounded(size):
    """What torch's allocator of pinned memory takes for a request: the next power of two, of whatever size."""
    return 1 << (size - 1).bit_length() if size > 0 else 0


def _add(groups, key, size):
    row = groups.setdefault(key, [0, 0])
    row[0] += 1
    row[1] += size


def _attributes(one):
    try:
        found = object.__getattribute__(one, "__dict__")
        return found if type(found) is dict else {}
    except Exception:
        return {}


def _values(mapping):
    return list(dict.values(mapping)) if is_made_of(type(mapping), dict) else ()


def _is_leaf(tensor):
    """Asked for itself, what made a tensor would become a Python object while another thread may be changing it."""
    try:
        return tensor.is_leaf
    except Exception:
        return True


def _pinned(tensor):
    try:
        return tensor.is_pinned()
    except Exception:
        return False


def _storage(tensor):
    """(identity, bytes) where it lies in this process's own memory on the host."""
    try:
        storage = tensor.untyped_storage()
        if storage.device.type == "cpu" and not storage.is_shared():
            return storage._cdata, storage.nbytes()
    except Exception:
        pass  # sparse, fake, or half gone
    return None, 0
