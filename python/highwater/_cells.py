"""Cells of a notebook as marks: `In [3]` when one begins, `/In [3]` or `/In [3] failed` when it is done.

Each says how large the process was: the next cell begins at once, and a recorder's sample after it has what that one took.
"""

import sys
import time

from ._agent import agent
from ._gauges import Gauges
from ._usage import status

# Of the time between cells, one part in so many at most goes into a look at malloc.
MALLOC_SHARE = 200


class Cells:
    """Tells the recorder of each cell that a shell runs; cells that are run on the quiet are none."""

    def __init__(self, shell):
        self._shell = shell
        self._number = None
        self._torch, self._gauges = None, None

    def follow(self):
        self._shell.events.register("pre_run_cell", self._begins)
        self._shell.events.register("post_run_cell", self._ended)

    def leave(self):
        for event, callback in (("pre_run_cell", self._begins), ("post_run_cell", self._ended)):
            try:
                self._shell.events.unregister(event, callback)
            except ValueError:
                pass  # somebody has taken it off already

    def _begins(self, info=None):
        if getattr(info, "silent", False) or not getattr(info, "store_history", True):
            return
        self._number = self._shell.displayhook.prompt_count
        self._tell("In [%d]" % self._number)

    def _ended(self, result=None):
        if self._number is None:
            return
        failed = result is not None and not getattr(result, "success", True)
        self._tell("/In [%d]%s" % (self._number, " failed" if failed else ""))
        self._number = None

    def _tell(self, name):
        try:
            now = time.monotonic_ns()
            size = status("VmRSS")
            mark = {"kind": "cell", "name": name, "epoch": None, "iteration": self._number, "value": size}
            if agent.send({"type": "mark", "time": now, **mark}):
                values, _ = self._read(now)
                agent.send({"type": "counters", "time": now, "values": values})
        except Exception:
            pass  # a cell must not fail because of us

    def _read(self, now):
        torch = sys.modules.get("torch")  # which a cell may import
        if self._gauges is None or torch is not self._torch:
            self._torch, self._gauges = torch, Gauges(torch, lambda _: MALLOC_SHARE)
        return self._gauges.read(now)
