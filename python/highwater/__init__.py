"""Highwater's agent: tells a recorder what cannot be seen from outside.

Standard library only. Under ``highwater record`` the functions below send marks to the recorder;
without one they do nothing (or write to ``HIGHWATER_OUT``). They never raise and never block.
"""

import os as _os

from . import heap
from ._agent import agent as _speaker
from ._marks import epoch, iteration, mark, phase
from .heap import hpy, setrelheap
from .profiler import MemoryProfiler, memory_profiler
from .tags import log_allocations

__all__ = ["MemoryProfiler", "epoch", "heap", "hpy", "iteration", "log_allocations", "mark", "memory_profiler", "phase", "setrelheap"]
__version__ = "0.1.0"



def load_ipython_extension(shell):
    """`%load_ext highwater`: the magics `%%highwater` and `%highwater` (docs/notebooks.md)."""
    from ._notebook.magic import HighwaterMagics

    shell.register_magics(HighwaterMagics)


# Under a recorder this process can then be asked for its heap and sizes, whether or not it says anything itself.
if _os.environ.get("HIGHWATER_SOCKET"):
    _speaker.listens()
if _os.environ.get("HIGHWATER_TAGS", "").lower() in ("1", "true", "yes", "on"):
    log_allocations()
