"""Whose functions a step is taken by: a framework that owns a training's loop is known by them.

FSDP takes no step, but owns the parameters that one is taken on: it is known by these."""

import sys

MOST = 60
_PLACES = ("/site-packages/", "/dist-packages/")


def callers():
    """Frames of installed packages in the present call stack, as [file below where packages are, function]; none of the program's own."""
    found = []
    frame = sys._getframe(1)
    while frame is not None and len(found) < MOST:
        code = frame.f_code
        file = code.co_filename.replace("\\", "/")
        for place in _PLACES:
            at = file.rfind(place)
            if at >= 0 and [file[at + len(place) :], code.co_name] not in found:
                found.append([file[at + len(place) :], code.co_name])
        frame = frame.f_back
    return found


def is_sharded(optimizer):
    """Whether some of its parameters are FSDP's: those of FullyShardedDataParallel have torch's mark, those of fully_shard a module that has."""
    if "torch.distributed.fsdp" not in sys.modules:
        return False
    parameters = {id(one): one for group in optimizer.param_groups for one in group["params"]}
    if any(getattr(one, "_fsdp_flattened", None) is True for one in parameters.values()):
        return True
    return any(id(one) in parameters for module in _fully_sharded() for one in module.parameters())


def _fully_sharded():
    # Before torch 2.6 it lay elsewhere.
    owners = (sys.modules.get(name) for name in ("torch.distributed.fsdp", "torch.distributed._composable.fsdp"))
    kinds = tuple(owner.FSDPModule for owner in owners if hasattr(owner, "FSDPModule"))
    states = getattr(sys.modules.get("torch.distributed._composable_state"), "_module_state_mapping", ())
    return [module for module in list(states) if isinstance(module, kinds)]
