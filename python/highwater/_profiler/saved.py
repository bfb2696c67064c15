"""Hooks on what autograd saves for the backward pass: who saved it, and until when it is kept.

A hook takes over torch's own duty to notice that a saved tensor was changed in place since; without that
check the gradients would silently be wrong. So what is kept here keeps its version, and is checked on return.
"""


class Kept:
    """A saved tensor that is not to be counted: a weight, a buffer, an input."""

    __slots__ = ("tensor", "version", "layer")

    def __init__(self, tensor, version, layer):
        self.tensor = tensor
        self.version = version
        self.layer = layer

    def open(self):
        tensor = self.tensor
        if tensor._version != self.version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace "
                "operation: [%s %s], saved in layer %s, is at version %d; expected version %d instead. "
                "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
                "with torch.autograd.set_detect_anomaly(True)."
                % (tensor.type(), list(tensor.shape), self.layer, tensor._version, self.version)
            )
        return tensor


class Counted(Kept):
    """A saved tensor that counts until autograd lets go of it."""

    __slots__ = ("storages", "events")

    def __init__(self, tensor, version, layer, storages, events):
        self.tensor = tensor
        self.version = version
        self.layer = layer
        self.storages = storages
        self.events = events

    def __del__(self):
        self.events.extend(self.storages)


class Passed:
    """What another's hooks made of a saved tensor; its storages count where it holds tensors."""

    __slots__ = ("value", "unpack", "layer", "storages", "events")

    def __init__(self, value, unpack, layer, storages, events):
        self.value = value
        self.unpack = unpack
        self.layer = layer
        self.storages = storages
        self.events = events

    def open(self):
        return self.unpack(self.value)

    def __del__(self):
        self.events.extend(self.storages)
