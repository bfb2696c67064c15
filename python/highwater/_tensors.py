"""The tensors that live in a process: how many of each shape, how large, and what holds the largest.

A few walks over all that Python's collector knows, tens of milliseconds: done rarely. Only tensors that Python can
reach are seen; what autograd alone keeps is not. Nothing is held beyond the walks.
"""

import gc
import weakref

MOST_GROUPS = 20
# Whose holders are looked for: so many groups, if they are this large, so many steps up.
MOST_NAMED = 3
WORTH_NAMING = 1 << 20
STEPS = 3
_CONTAINERS = (dict, list, tuple, set)


def survey(torch):
    """Rows [shape, dtype, device, what, holder, count, bytes], the largest first."""
    rows = _groups(torch)
    wanted = [row for row in rows if row[3] not in ("parameter", "gradient") and row[6] >= WORTH_NAMING][:MOST_NAMED]
    for row, holder in zip(wanted, _holders([row[4]() for row in wanted])):
        row[4] = holder
    for row in rows:
        if not isinstance(row[4], str):
            row[4] = ""
    return rows


def _groups(torch):
    groups = {}
    seen = set()
    kinds = (torch.Tensor, torch.nn.Parameter)
    tensors = [one for one in gc.get_objects() if type(one) in kinds]
    gradients = _gradients(torch, tensors)
    for tensor in tensors:
        try:
            storage = tensor.untyped_storage()
            pointer = storage._cdata
            size = 0 if pointer in seen else storage.nbytes()
            what = "gradient" if pointer in gradients else _what(torch, tensor)
            key = (str(list(tensor.shape)), str(tensor.dtype)[6:], str(tensor.device), what)
        except Exception:
            continue  # sparse, fake or half gone
        seen.add(pointer)
        row = groups.get(key)
        if row is None:
            groups[key] = row = [*key, weakref.ref(tensor), 0, 0]
        row[5] += 1
        row[6] += size
    return sorted(groups.values(), key=lambda row: -row[6])[:MOST_GROUPS]


def _gradients(torch, tensors):
    """The storages of parameters' gradients."""
    found = set()
    for tensor in tensors:
        try:
            if type(tensor) is torch.nn.Parameter and tensor.grad is not None:
                found.add(tensor.grad.untyped_storage()._cdata)
        except Exception:
            pass
    return found


def _what(torch, tensor):
    """What it is to autograd: a parameter, a leaf, or what an operation made, kept together with its graph."""
    if type(tensor) is torch.nn.Parameter:
        return "parameter"
    if tensor.grad_fn is not None:
        return type(tensor.grad_fn).__name__
    return "leaf" if tensor.requires_grad else ""


def _holders(tensors):
    """For each `list of 15 in cache of __main__`, as far up as a name that is not a local variable's."""
    at = tensors
    words = [[] for _ in at]
    found = []
    for _ in range(STEPS):
        living = [one for one in at if one is not None]
        if not living:
            break
        # Our own containers refer to them too.
        ours = {id(one) for one in (tensors, at, living, found)}
        found = [
            one
            for one in gc.get_referrers(*living)
            if type(one) in _CONTAINERS and id(one) not in ours and not _is_same(one, living)
        ]
        at = [None if one is None else _step_up(one, found, said) for one, said in zip(at, words)]
    return [" in ".join(said) for said in words]


def _step_up(value, found, said):
    """What holds it, if that is to be followed; what is known of it goes into ``said``."""
    owners = [one for one in found if one is not value and _has(one, value)]
    if not owners:
        return None
    owner = min(owners, key=len)
    name = _name_in(owner, value)
    said.append("%s of %d" % (type(owner).__name__, len(owner)) if name is None else name)
    return owner if name is None else None


def _has(container, value):
    return any(one is value for one in (container.values() if type(container) is dict else container))


def _is_same(container, living):
    return len(container) == len(living) and type(container) is tuple and all(a is b for a, b in zip(container, living))


def _name_in(owner, value):
    if type(owner) is not dict:
        return None
    for name, one in list(owner.items()):
        if one is value and isinstance(name, str):
            module = owner.get("__name__") if "__builtins__" in owner else None
            return "%s of %s" % (name, module) if isinstance(module, str) else name
    return None
