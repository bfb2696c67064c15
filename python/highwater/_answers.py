"""What can be asked of this process, by a recorder or by who attached to it (docs/agent-protocol.md)."""

from importlib import import_module

# The module of ours and its function from options to an answer that JSON can hold. Nothing is loaded before it is asked for.
HANDLERS = {
    "sizes": ("_sizes.answer", "answer"),
    "heap": ("_heap.answer", "answer"),
    "memory": ("_memory_told", "answer"),
    "snapshot": ("_snapshot.answer", "answer"),
}


def answer_to(what, options):
    """A name that is not in the table, of a newer recorder's, is a KeyError."""
    module, function = HANDLERS[what]
    return getattr(import_module("." + module, __package__), function)(options)
