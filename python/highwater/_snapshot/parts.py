"""What a snapshot is made of. Each part is written in a fork of its own, by what was there at one moment, and fails alone."""

import os
import sys

from .._heap.dump import write_heap
from .._inside import held, snapshot_file, tensors
from .._memory import allocators
from .._sizes.answer import told
from .top_types import TopTypes

# A fork has all the time that the program would not want to wait for.
HELD_NS = 20 * 10**9
HELD_ROWS = 80
TENSOR_GROUPS = 80
TENSORS_NAMED = 40
HEAP_FILE = "heap/0/python.hwheap"


def parts_of(moment):
    """(name, what it does, seconds it may take) of those that this process can have: the cheap ones first."""
    yield "held", _held, 90
    if moment.torch is not None:
        yield "tensors", _tensors, 120
    yield "sizes", _sizes, 240
    yield "heap", _heap, 900
    if moment.cards:
        yield "allocator", _allocator, 600


def _held(moment, send):
    values = {**moment.counters, **allocators()}
    send({"type": "counters", "time": moment.now, "values": values})
    send({"type": "held", "time": moment.now, "rows": held.survey(moment.torch, HELD_NS, HELD_NS, HELD_ROWS)})


def _tensors(moment, send):
    rows, totals = tensors.survey(moment.torch, groups=TENSOR_GROUPS, named=TENSORS_NAMED)
    send({"type": "tensors", "time": moment.now, "rows": rows})
    send({"type": "counters", "time": moment.now, "values": totals})
    return {"count": totals["tensors.count"], "bytes": totals["tensors.bytes"]}


def _sizes(moment, send):
    send({"type": "sizes", "time": moment.now, "at": "now", "value": told(moment.process)})


def _heap(moment, send):
    types = TopTypes()
    path = os.path.join(moment.folder, HEAP_FILE)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    facts = {"pid": moment.pid, "taken": moment.wall_ms, "program": sys.argv[0] if getattr(sys, "argv", None) else ""}
    figures = write_heap(path, moment.roots, {**facts, "mode": "fork"}, isolated=True, tally=types)
    send({"type": "objects", "time": moment.now, "rows": types.rows})
    return {**figures, "file": HEAP_FILE}


def _allocator(moment, send):
    events = []

    def amend(snapshot):
        events.extend(map(len, snapshot.get("device_traces") or ()))
        name = "look-%d.pickle" % moment.pid
        return name, {"why": "look", "device": moment.cards[0], "asked": None, "free": None, "total": None}, None

    snapshot_file.write(moment.torch, amend, moment.now, send, moment.folder)
    return {"events": sum(events)}
