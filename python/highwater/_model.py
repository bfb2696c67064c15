"""The model of a program that has no line of ours: the module whose parameters its optimizers hold."""

from ._whole import whole_objects


def find_model(torch, objects=None):
    """A module, and None where there is none. ``objects``: where it is looked for, if not among all there are."""
    optimizers, modules = [], []
    for one in whole_objects() if objects is None else objects:
        # Not isinstance: objects may do anything when they are asked for their class.
        kind = type(one)
        if issubclass(kind, torch.nn.Module):
            modules.append(one)
        elif issubclass(kind, torch.optim.Optimizer):
            optimizers.append(one)
    trained = {
        id(parameter): parameter.numel() * parameter.element_size()
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    parts = _covering(outermost(modules), trained)
    if len(parts) < 2:
        return parts[0] if parts else None
    # Several that are trained together: under one roof that nobody holds, each by the name of its class.
    roof = torch.nn.ModuleDict()
    for number, part in enumerate(parts):
        name = type(part).__name__
        roof[name if name not in roof and not hasattr(roof, name) else "%s_%d" % (name, number)] = part
    return roof


def outermost(modules):
    inner = {id(child) for module in modules for child in module._modules.values() if child is not None}
    return [module for module in modules if id(module) not in inner]


def _covering(roots, trained):
    """The fewest of them that hold all that is trained, the largest first; of two that hold the same the smaller."""
    found = []
    for root in roots:
        own = {id(parameter) for parameter in root.parameters()} & trained.keys()
        if own:
            found.append((sum(trained[key] for key in own), -sum(1 for _ in root.modules()), own, root))
    found.sort(key=lambda row: row[:2], reverse=True)
    left, parts = set(trained), []
    for _, _, own, root in found:
        if own & left:
            parts.append(root)
            left -= own
    return parts
