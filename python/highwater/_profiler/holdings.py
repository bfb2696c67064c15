"""What a model holds from one iteration to the next: weights, gradients, buffers, optimizer state, by name."""

import weakref

from .._storage import quiet_storages, span, tensors_in


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
        for storage, size, device in quiet_storages(tensor):
            self._add(kind, rows, name, None, storage, size, device)

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
        self._roots += [(name, weakref.ref(module)) for name, module in model.named_children()]
        self.look()

    def look(self):
        """Looks again: layers may have come and gone, or been given other tensors. Returns parameters and buffers."""
        self._modules = [(name, weakref.ref(module)) for name, module in self._walk()]
        self.tied = list(self._tied())
        parameters, buffers = list(self._named("_parameters")), list(self._named("_buffers"))
        self._parameters = [(name, weakref.ref(tensor)) for name, tensor in parameters]
        self._buffers = [(name, weakref.ref(tensor)) for name, tensor in buffers]
        return parameters, buffers

    def modules(self):
        return _alive(self._modules)

    def parameters(self):
        return _alive(self._parameters)

    def buffers(self):
        return _alive(self._buffers)

    def stamp(self):
        """The same as before means: the same modules with the same tensors where they were. None where one cannot tell."""
        found = []
        try:
            for _, reference in self._modules:
                module = reference()
                if module is None:
                    return None
                found.extend(map(id, module._modules.values()))
                for tensors in (module._parameters, module._buffers):
                    for tensor in tensors.values():
                        if tensor is not None:
                            if type(tensor) not in self._plain:
                                return None  # a wrapper around others, or fake: torch warns who asks where it is
                            found.append(id(tensor))
                            found.append(tensor.data_ptr())
        except Exception:
            # Sparse, or of no shape yet.
            return None
        return found

    def _tops(self):
        root = self._roots[0][1]()
        return [("", root)] if root is not None else _alive(self._roots[1:])

    def _walk(self):
        """(name, module), each once, by its first name."""
        seen = set()
        for prefix, top in self._tops():
            yield from top.named_modules(seen, prefix)

    def _tied(self):
        """(other name, first name) of parameters that have two."""
        names = {}
        for prefix, top in self._tops():
            for name, parameter in top.named_parameters(prefix, remove_duplicate=False):
                first = names.setdefault(id(parameter), name)
                if first != name:
                    yield name, first

    def _named(self, what):
        seen = set()
        for prefix, module in self.modules():
            for key, tensor in getattr(module, what).items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (prefix + "." + key if prefix else key), tensor


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


def gradient_storages(parameters):
    """{storage: bytes} of the gradients that live now, and nothing more: this is asked for often."""
    found = {}
    for _, parameter in parameters:
        gradient = parameter.grad
        if gradient is not None:
            if gradient.is_sparse:
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
