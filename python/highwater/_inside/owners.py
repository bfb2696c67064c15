"""What Python knows of a snapshot's blocks: which are parameters, gradients, an optimizer's state, results that keep
their graph, and which no tensor of Python's holds at all (mostly what autograd keeps for the backward pass).

Walks over all that Python's collector knows: for the moment of an error, not for every step. Nothing is kept of it.
"""

from .._whole import whole_objects

from .._storage import address

KEY = "highwater_owner"  # added to each block in use
NOBODY = "nobody"
OTHER = "other"


def name_blocks(torch, snapshot):
    owners = _owners(torch)
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] != "inactive" and "address" in block:
                block[KEY] = owners.get(block["address"], NOBODY)


def _owners(torch):
    """{address of a storage: what it is}; of several words for one storage the first below is the truest."""
    tensors, modules, optimizers = [], [], []
    for one in whole_objects():
        kind = type(one)
        if issubclass(kind, torch.Tensor):
            tensors.append(one)
        elif issubclass(kind, torch.nn.Module):
            modules.append(one)
        elif issubclass(kind, torch.optim.Optimizer):
            optimizers.append(one)
    parameters = [one for one in tensors if issubclass(type(one), torch.nn.Parameter)]
    for optimizer in optimizers:
        # The model's may be plain tensors, but what an optimizer steps is one.
        parameters += [one for group in optimizer.__dict__.get("param_groups", ()) for one in group.get("params", ())]
    found = {}
    _note(found, "parameter", parameters)
    _note(found, "gradient", (_quiet(lambda: one.grad) for one in parameters))
    _note(found, "optimizer_state", _states(torch, optimizers))
    _note(found, "parameter", (one for module in modules for one in module.__dict__.get("_buffers", {}).values()))
    _note(found, "activation", (one for one in tensors if _quiet(lambda: one.grad_fn) is not None))
    _note(found, OTHER, tensors)
    return found


def _states(torch, optimizers):
    for optimizer in optimizers:
        for state in list(optimizer.__dict__.get("state", {}).values()):
            for value in list(state.values()) if isinstance(state, dict) else ():
                if isinstance(value, torch.Tensor):
                    yield value


def _note(found, what, tensors):
    for tensor in tensors:
        if tensor is not None and on_card(tensor):
            begins = _quiet(lambda: address(tensor))
            if begins:
                found.setdefault(begins, what)


def on_card(tensor):
    return _quiet(lambda: tensor.is_cuda)


def _quiet(ask):
    """A tensor may be fake, sparse, a subclass with ideas of its own, or half gone."""
    try:
        return ask()
    except Exception:
        return None
