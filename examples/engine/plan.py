"""What the engine means to use, before it takes the KV pool: told in a line for each part, in bytes."""

from dataclasses import astuple, dataclass, fields

from log import in_words, say


@dataclass
class Plan:
    weights: int
    kv_pool: int
    activations: int
    graphs: int
    other: int

    @property
    def total(self):
        return sum(astuple(self))

    def tell(self):
        parts = [(field.name, getattr(self, field.name)) for field in fields(self)]
        for name, size in [*parts, ("total", self.total)]:
            say("plan: %s %d bytes (%s)" % (name, size, in_words(size)))


def activations(options, dtype):
    """Bytes that the largest prefill needs, where no allocator counts them: the widest layer, and the logits."""
    tokens = options.context
    in_a_layer = tokens * options.dim * (3 + 4 + 4 + 4)
    scores = options.heads * tokens * tokens
    return (in_a_layer + scores + options.vocabulary) * dtype.itemsize
