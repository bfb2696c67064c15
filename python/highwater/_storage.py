"""Storages: the blocks of memory behind tensors. One storage is counted once, however many tensors look at it."""


def tells_ends(torch):
    """Whether a weak reference to a storage hears of its end.

    torch 2.0 and 2.1 make a new Python object each time a storage is asked for. Its end means nothing, and 2.1 even leaves weak
    references to it that lead into freed memory: the program crashes later.
    """
    first = torch.zeros(1)
    return first.untyped_storage() is first.untyped_storage()


def storages(tensor):
    """(identity, bytes, device index) of each storage that a tensor keeps alive; -1 is the CPU."""
    found = []
    for part in parts(tensor):
        storage = part.untyped_storage()
        # Neither meta nor fake tensors hold memory, though a fake one names a real device.
        if storage.device.type != "meta":
            found.append((storage._cdata, storage.nbytes(), part.get_device()))
    return found


def address(tensor):
    """Where its memory begins; 0 where it has none. Of a fake tensor torch warns if one asks."""
    storage = tensor.untyped_storage()
    return 0 if storage.device.type == "meta" else storage.data_ptr()


def quiet_storages(tensor):
    """The same; none where a tensor has no storage to ask for, as within torch.func or before its shape is known."""
    try:
        return storages(tensor)
    except Exception:
        return []


def tensors_in(value, torch, depth=3):
    """The tensors within tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > 0:
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, (tuple, list)):
            # Outputs of many libraries are data classes.
            value = vars(value).values() if hasattr(type(value), "__dataclass_fields__") else ()
        for item in value:
            yield from tensors_in(item, torch, depth - 1)


def span(tensor):
    """First and last byte (exclusive) that a tensor uses of its storage."""
    if tensor.numel() == 0:
        return 0, 0
    start = tensor.storage_offset()
    last = sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride()))
    return start * tensor.element_size(), (start + last + 1) * tensor.element_size()


def parts(tensor):
    """The plain tensors that a tensor is made of: itself, or those inside a sparse or a wrapping one."""
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is not None:
        inner = (getattr(tensor, name) for name in flatten()[0])
        return [part for held in inner for part in parts(held)]
    layout = str(tensor.layout)
    if layout == "torch.sparse_coo":
        return [tensor._indices(), tensor._values()]
    if layout in ("torch.sparse_csr", "torch.sparse_bsr"):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    if layout in ("torch.sparse_csc", "torch.sparse_bsc"):
        return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    return [tensor]
