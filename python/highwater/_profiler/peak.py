"""The moment of an iteration at which most was live."""


class Peak:
    __slots__ = ("bytes", "layer", "phase", "parts", "cached")

    def __init__(self, bytes=0, layer="", phase="", parts=None, cached=None):
        self.bytes = bytes
        self.layer = layer  # the layer that was running, "" for none
        self.phase = phase  # forward, backward, optimizer step
        self.parts = parts or {}  # kind → bytes, together at most ``bytes``
        self.cached = cached  # what the allocator of a GPU held beside these bytes, free; None without one

    def where(self):
        return ", ".join(word for word in (self.layer, self.phase) if word)
