"""The cells of a kernel, whoever starts it: `highwater record -- jupyter lab`."""

import functools
from importlib import import_module

from .._cells import Cells


def arm(ipython):
    """A shell says what it runs from its first cell on."""
    shells = import_module("IPython.core.interactiveshell").InteractiveShell
    original = shells.init_events

    @functools.wraps(original)
    def init_events(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        try:
            Cells(self).follow()
        except Exception:
            pass  # a kernel must start
        return result

    shells.init_events = init_events
