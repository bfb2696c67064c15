"""The modules and tensors of a model by the names that its author gave them.

Wrappers that torch, peft and others put around a module (for compiling, checkpointing, sharding, adapters) have a child of their own name;
here that child goes by the name of the wrapper, as it did before it was wrapped. This is the one place that knows wrappers.
"""

from weakref import WeakKeyDictionary

# By the class, or one that it is derived from: the child that takes the wrapper's place.
_WRAPPERS = {
    ("torch._dynamo.eval_frame", "OptimizedModule"): "_orig_mod",
    ("torch.distributed.fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel"): "_fsdp_wrapped_module",
    ("torch.distributed.algorithms._checkpoint.checkpoint_wrapper", "ActivationWrapper"): "_checkpoint_wrapped_module",
    ("torch.nn.parallel.distributed", "DistributedDataParallel"): "module",
    ("torch.nn.parallel.data_parallel", "DataParallel"): "module",
    ("torch.optim.swa_utils", "AveragedModel"): "module",
    ("deepspeed.runtime.engine", "DeepSpeedEngine"): "module",
    ("peft.peft_model", "PeftModel"): "base_model",
    ("peft.tuners.tuners_utils", "BaseTuner"): "model",
    ("peft.utils.other", "ModulesToSaveWrapper"): "modules_to_save",
}
# What adapters (of peft, and those written by hand after them) call the layer that they adapt.
_ADAPTED = "base_layer"

_known = WeakKeyDictionary()  # class → that child


def named_modules(model, prefix="", seen=None):
    """(name, path, module) of all within a model, a wrapper before what it wraps and by the same name; the path has the
    wrappers' own words as well. Each module once, unless ``seen`` is False."""
    return _walk(model, prefix, prefix, set() if seen is None else seen)


def named_children(model):
    """(name, module) of what a model has directly, by the names that it has within it."""
    through = _wrapped(model)
    return [("" if key in through else key, child) for key, child in model._modules.items() if child is not None]


def named_tensors(modules, what, again=False):
    """(name, tensor) of such modules. ``what``: "_parameters" or "_buffers". Each once, unless ``again``."""
    seen, taken = set(), {}  # ``taken``: name → id of the tensor that has it
    for name, path, module in modules:
        for key, tensor in list(getattr(module, what).items()):
            if tensor is None or (not again and id(tensor) in seen):
                continue
            seen.add(id(tensor))
            own = _join(name, key)
            # A wrapper with a tensor of the same name as what it wraps: one of them goes by its whole path.
            if taken.setdefault(own, id(tensor)) != id(tensor):
                own = _join(path, key)
            yield own, tensor


def _walk(module, name, path, seen, through=()):
    if seen is not False:
        if id(module) in seen:
            return
        seen.add(id(module))
    yield name, path, module
    through = through or _wrapped(module)
    for key, child in list(module._modules.items()):
        if child is not None:
            within = name if key in through else _join(name, key)
            yield from _walk(child, within, _join(path, key), seen, _only_one(module, key, child))


def _wrapped(module):
    """The names of children that go by the module's own."""
    kind = type(module)
    child = _known.get(kind)
    if child is None:
        named = ((one.__module__, one.__name__) for one in kind.__mro__)
        child = _known[kind] = next((_WRAPPERS[one] for one in named if one in _WRAPPERS), _ADAPTED)
    return (child,)


def _only_one(module, key, child):
    """peft keeps a trained copy of a layer for each adapter; of a single one no more need be said than the layer's name."""
    if key == "modules_to_save" and key in _wrapped(module) and len(child._modules) == 1:
        return tuple(child._modules)
    return ()


def _join(prefix, name):
    return prefix + "." + name if prefix else name
