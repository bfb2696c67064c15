"""What a model holds from one iteration to the next: weights, gradients, buffers, optimizer state, by name."""

import weakref

from .._module_names import named_children, named_modules, named_tensors
from .sharded import kept_parameters
from .._storage import parts, quiet_storages, span, tensors_in


class Tally:
    """Sums storages into named rows, each storage once.

    A tensor's row has the bytes of the storage that no row before it has; what no named tensor covers stays
    with the first, so that rows always sum up to what lives.
    """

    def __init__(self, torch):
        self._plain = (torch.Tensor, torch.nn.Parameter)
        self._known = {}  # storage → [rows, name, bytes, spans]
        self._first = {}  # storage → its first tensor
        self._apart = {}  # storage → bytes
        self.on = {}  # (kind, device) → bytes
        self.shared = []  # (kind, name, kind and name of the first)

    def add(self, kind, rows, name, tensor):
        rows.setdefault(name, 0)
        if type(tensor) in self._plain and not tensor.is_sparse and not tensor.is_meta:
            storage = tensor.untyped_storage()
            self._add(kind, rows, name, tensor, storage._cdata, storage.nbytes(), tensor.get_device())
            return
        try:
            inner = parts(tensor)
            for part in inner:
                storage = part.untyped_storage()
                if storage.device.type != "meta":
                    self._add(kind, rows, name, part, storage._cdata, storage.nbytes(), part.get_device())
        except Exception:
            pass  # of no shape yet, or within torch.func

    def add_apart(self, kind, rows, tensors):
        """Adds tensors of which no two share: far quicker. False where some do, or are of a special kind."""
        sizes, on = {}, {}
        plain, count = self._plain[0], 0
        for name, tensor in tensors:
            if tensor is None:
                rows[name] = 0
                continue
            if type(tensor) is not plain or tensor.is_sparse or tensor.is_meta:
                return False
            storage = tensor.untyped_storage()
            device = tensor.get_device()
            sizes[storage._cdata] = rows[name] = size = storage.nbytes()
            on[device] = on.get(device, 0) + size
            count += 1
        self._apart = sizes
        self.on.update(((kind, device), size) for device, size in on.items())
        return len(sizes) == count

    def storages(self):
        return {**self._apart, **{storage: known[2] for storage, known in self._known.items()}}

    def forget(self):
        """Lets go of the tensors; the sums stay."""
        self._known.clear()
        self._first.clear()

    def _add(self, kind, rows, name, tensor, storage, size, device):
        known = self._known.get(storage)
        if known is None:
            self._known[storage] = [rows, name, size, None]
            self._first[storage] = (kind, tensor)
            rows[name] += size
            place = (kind, device)
            self.on[place] = self.on.get(place, 0) + size
            return
        first_kind, first = self._first[storage]
        if first is tensor and known[1] == name:
            return
        if known[3] is None:
            known[3] = [span(first)] if first is not None else [(0, size)]
        mine = span(tensor) if tensor is not None else (0, size)
        fresh = _uncovered(mine, known[3])
        if fresh > 0:
            known[3].append(mine)
            fresh = min(fresh, known[0][known[1]])
            known[0][known[1]] -= fresh
            rows[name] += fresh
        elif mine[1] > mine[0]:
            self.shared.append((kind, name, first_kind, known[1]))


def _uncovered(mine, spans):
    """Bytes of a span that none of the others has."""
    start, end = mine
    left = end - start
    position = start
    for low, high in sorted(s for s in spans if s[1] > start and s[0] < end):
        low, high = max(low, position), min(high, end)
        if high > low:
            left -= high - low
            position = high
    return left


class Parts:
    """A model's modules, parameters and buffers by name, without holding them."""

    def __init__(self, torch, model):
        self._plain = (torch.Tensor, torch.nn.Parameter)
        # Several models may be under a roof that nobody holds: then their own names go on.
        self._roots = [("", weakref.ref(model))]
        self._roots += [(name, weakref.ref(module)) for name, module in named_children(model)]
        self.look()

    def look(self):
        """Looks again: layers may have come and gone, or been given other tensors. Returns parameters and buffers."""
        modules = list(self._walk(set()))
        self._modules = [(name, path, weakref.ref(module)) for name, path, module in modules]
        self.tied = list(self._tied())
        parameters, buffers = (list(named_tensors(modules, what)) for what in ("_parameters", "_buffers"))
        parameters = kept_parameters(modules, parameters)
        self._parameters = [(name, weakref.ref(tensor)) for name, tensor in parameters]
        self._buffers = [(name, weakref.ref(tensor)) for name, tensor in buffers]
        return parameters, buffers

    def modules(self):
        """(name, path, module), a wrapper before what it wraps, by the same name."""
        found = [(name, path, reference()) for name, path, reference in self._modules]
        return [row for row in found if row[2] is not None]

    def parameters(self):
        return _alive(self._parameters)

    def buffers(self):
        return _alive(self._buffers)

    def stamp(self):
        """The same as before means: the same modules with the same tensors where they were. None where one cannot tell."""
        found = []
        try:
            for _, _, reference in self._modules:
                module = reference()
                if module is None:
                    return None
                found.extend(map(id, module._modules.values()))
                for tensors in (module._parameters, module._buffers):
                    for tensor in tensors.values():
                        if tensor is not None:
                            found.append(id(tensor))
                            if type(tensor) in self._plain:
                                found.append(tensor.data_ptr())
                                continue
                            inner = parts(tensor)
                            if any(type(part) not in self._plain for part in inner):
                                return None  # fake: torch warns who asks where it is
                            found.extend(part.data_ptr() for part in inner)
        except Exception:
            # Sparse, or of no shape yet.
            return None
        return found

    def _tops(self):
        root = self._roots[0][1]()
        return [("", root)] if root is not None else _alive(self._roots[1:])

    def _walk(self, seen):
        """(name, path, module), each once, by its first name."""
        for prefix, top in self._tops():
            yield from named_modules(top, prefix, seen)

    def _tied(self):
        """(other name, first name) of parameters that have two."""
        names = {}
        for name, parameter in named_tensors(self._walk(False), "_parameters", again=True):
            first = names.setdefault(id(parameter), name)
            if first != name:
                yield name, first


def _alive(references):
    found = [(name, reference()) for name, reference in references]
    return [pair for pair in found if pair[1] is not None]


def gradients(torch, parameters):
    """Rows of the gradients that live now, 0 where there is none, and their tally."""
    tally, rows = Tally(torch), {}
    if tally.add_apart("gradient", rows, ((name, parameter.grad) for name, parameter in parameters)):
        return rows, tally
    tally, rows = Tally(torch), {}
    for name, parameter in parameters:
        gradient = parameter.grad
        if gradient is None:
            rows[name] = 0
        else:
            tally.add("gradient", rows, name, gradient)
    return rows, tally


def gradient_storages(torch, parameters):
    """{storage: bytes} of the gradients that live now, and nothing more: this is asked for often."""
    found, plain = {}, torch.Tensor
    for _, parameter in parameters:
        gradient = parameter.grad
        if gradient is not None:
            if type(gradient) is not plain or gradient.is_sparse:
                found.update((storage, size) for storage, size, _ in quiet_storages(gradient))
            else:
                storage = gradient.untyped_storage()
                found[storage._cdata] = storage.nbytes()
    return found


def holdings(torch, parameters, buffers, optimizers):
    """{kind: {name: bytes}} of weights, buffers and optimizer state, and their tally."""
    tally = Tally(torch)
    rows = {"weight": {}, "buffer": {}, "optimizer": {}}
    for name, parameter in parameters:
        tally.add("weight", rows["weight"], name, parameter)
    for name, buffer in buffers:
        tally.add("buffer", rows["buffer"], name, buffer)
    for name, parameter in parameters:
        rows["optimizer"].setdefault(name, 0)
        for optimizer in optimizers:
            # Asking a defaultdict for what is not there would put it there.
            if parameter in optimizer.state:
                for tensor in tensors_in(optimizer.state[parameter], torch):
                    tally.add("optimizer", rows["optimizer"], name, tensor)
    return rows, tally
