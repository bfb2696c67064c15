"""The tensors that live in a process: how many of each shape, how large, and what holds the largest.

A few walks over all that Python's collector knows, tens of milliseconds: done rarely. Only tensors that Python can
reach are seen; what autograd alone keeps is not. Nothing is held beyond the walks.
"""

import weakref

from .._names import holders
from .._places import with_line
from .._whole import instances

MOST_GROUPS = 20
MOST_GRAPHS = 2
# Whose holders are looked for: so many groups, if they are this large.
MOST_NAMED = 3
WORTH_NAMING = 1 << 20
# Or that keep a graph each, and are more than a training has between two steps.
MANY_GRAPHS = 16


def survey(torch, tensors=None, optimizer=None, groups=MOST_GROUPS, named=MOST_NAMED):
    """Rows [shape, dtype, device, what, holder, count, bytes], the largest first, and what all of them come to.

    ``optimizer``: what it keeps for each parameter needs no search for who holds it. ``groups``, ``named``: so many are told, and
    so many of those with who holds them.
    """
    found = _groups(torch, instances((torch.Tensor, torch.nn.Parameter)) if tensors is None else tensors)
    ranked = sorted(found, key=lambda row: -row[6])
    # Small ones that hold a graph each: many of them are a training's classic leak.
    graphs = sorted((row for row in found if _has_graph(row)), key=lambda row: -row[5])
    rows = ranked[:groups]
    rows += [row for row in graphs[:MOST_GRAPHS] if row not in rows]
    wanted = [row for row in rows if row[3] not in ("parameter", "gradient") and row[6] >= WORTH_NAMING][:named]
    wanted += [row for row in graphs[:MOST_GRAPHS] if row[5] >= MANY_GRAPHS and row not in wanted]
    states = _states(optimizer)
    for row in wanted:
        row[4] = states.get(id(row[4]()), row[4])
    wanted = [row for row in wanted if not isinstance(row[4], str)]
    for row, holder in zip(wanted, holders([row[4]() for row in wanted])):
        row[4] = with_line(holder)
    for row in rows:
        if not isinstance(row[4], str):
            row[4] = ""
    return rows, {
        "tensors.count": sum(row[5] for row in found),
        "tensors.bytes": sum(row[6] for row in found),
        "tensors.with_graph": sum(row[5] for row in graphs),
    }


def _has_graph(row):
    return row[3] not in ("parameter", "gradient", "leaf", "")


def _states(optimizer):
    """{address of a tensor: who holds it}, in the words of `holders`."""
    state = getattr(optimizer, "__dict__", {}).get("state")
    if not isinstance(state, dict):
        return {}
    of = "%s of %d in state of %s" % (type(state).__name__, len(state), type(optimizer).__name__)
    values = [one for one in list(dict.values(state)) if type(one) is dict]
    return {id(value): "%s in %s" % (name, of) for one in values for name, value in list(one.items())}


def _groups(torch, tensors):
    groups = {}
    seen = set()
    gradients = _gradients(torch, tensors)
    pins = _pins(torch)
    for tensor in tensors:
        try:
            storage = tensor.untyped_storage()
            pointer = storage._cdata
            size = 0 if pointer in seen else storage.nbytes()
            what = "gradient" if pointer in gradients else _what(torch, tensor)
            key = (str(list(tensor.shape)), str(tensor.dtype)[6:], _device(tensor, pins), what)
        except Exception:
            continue  # sparse, fake or half gone
        seen.add(pointer)
        row = groups.get(key)
        if row is None:
            groups[key] = row = [*key, weakref.ref(tensor), 0, 0]
        row[5] += 1
        row[6] += size
    return list(groups.values())


def _pins(torch):
    """Whether a tensor of this program can be pinned: only CUDA pins, and it is never started to find out."""
    cuda = getattr(torch, "cuda", None)
    return cuda is not None and cuda.is_initialized()


def _device(tensor, pins):
    device = str(tensor.device)
    return "cpu pinned" if pins and device == "cpu" and tensor.is_pinned() else device


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
