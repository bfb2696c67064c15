"""The parameters that a process keeps where FSDP (``fully_shard``) gathers whole ones for a while and puts them in their place."""


def kept_parameters(modules, parameters):
    """(name, tensor), with the process's own shard in place of what was gathered. ``modules``: (name, path, module)."""
    shards = _shards(module for _, _, module in modules)
    return [(name, shards.get(id(tensor), tensor)) for name, tensor in parameters] if shards else parameters


def _shards(modules):
    """{id of a gathered parameter: its shard}, as FSDP's own state has them."""
    found = {}
    for module in modules:
        ask = getattr(type(module), "_get_fsdp_state", None)
        if ask is None:
            continue
        try:
            group = ask(module)._fsdp_param_group
            for one in group.fsdp_params if group is not None else ():
                whole = getattr(one, "_unsharded_param", None)
                if whole is not None:
                    found[id(whole)] = one.sharded_param
        except Exception:
            pass  # another version of it: the parameters that the module has at this moment
    return found
