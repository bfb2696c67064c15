"""The steps of a training as its optimizers take them, and in some of them the phases and what the process holds.

Knows torch only by what is handed in. Each watched step is paid for: the next comes only when the time that
this one took is a small share of the time since.
"""

import atexit
import os
import time
import weakref

from .._agent import agent
from .._gauges import Gauges
from .._memory_told import between_steps, imported
from .._pace import Pace
from .._places import remember_modules
from .._whole import of_types
from .callers import callers, is_sharded
from .graphs import Graphs
from .history import history
from .objects import Objects, what_may_grow
from .tensors import survey

# Of all time, one part in so many: for looks at counters and phases, and the thread that sends them.
LOOKS = 250  # 0.4 %
# For a walk over all objects, and over what malloc was given back, each: in the first minute, and later.
WALKS_EARLY = 200  # 0.5 %
WALKS = 1000  # 0.1 %
EARLY_NS = 60 * 10**9
# After the first ones so much lies between two looks: nobody reads more of them.
EAGER_STEPS = 64
CALM_NS = 100_000_000
STEP_GAP_NS = 5_000_000
MANY_STEPS = 20_000
MANY_WATCHED = 2_000
# A program that takes gradients but no optimizer's steps: so many backward passes, and no more.
MOST_WITHOUT_STEP = 64
# Objects are looked through once a training has settled, then on the budget, and at the end of a long enough run.
FIRST_SURVEY = 3
# Of a run of seconds the second look may take a tenth, where something has grown, and the last a fifth, a few hundred milliseconds: with one
# look alone nothing that grows is seen, and it is short runs that people try when they look for a leak.
EARLY_SURVEY_SHARE = 10
LAST_SURVEY_SHARE = 5
# So much more than after the first look: bytes of allocators, or blocks of Python's own, which are as much at 64 bytes each. A quarter of what can
# count as a leak at all (docs/leaks.md).
GROWN_BYTES = 1 << 18
GROWN_BLOCKS = 1 << 12

backwards = False  # gradients are taken: what runs forward is part of a training, and no request
watching = False  # steps are taken, and looked at: nobody else has to look into this process (plain.py)


class Steps:
    def __init__(self, torch):
        self._torch = torch
        self._imported = quiet(imported)  # counters: what was in use when torch had been imported
        self._gauges = Gauges(torch, self._walks)
        self._restart()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restart)
        atexit.register(self._end)  # before the agent's own, as it was registered later

    def _restart(self):
        _watch(False)
        self._count = 0
        self._first = None  # a weak reference: the optimizer whose steps are counted
        self._pace = Pace(MANY_STEPS, STEP_GAP_NS)
        self._watch_pace = Pace(MANY_WATCHED)
        self._watched = True
        self._phases = []  # that are open
        self._passes = 0
        self._passes_before = 1
        self._cost = 0
        self._sent_for = 0  # ns of the sending thread that are paid for
        self._since = 0  # when this step began
        self._untold = None  # when the last step was done, until it is told
        self._survey_at = 0  # paid for by then
        self._early_at = 0  # then already, where something has grown
        self._survey_cost = 0
        self._settled = None  # counters after the first look
        self.surveyed_ns = 0  # all of them
        self._surveyed = False
        self._objects = Objects()
        self._graphs = Graphs()
        self._born = time.monotonic_ns()

    @property
    def count(self):
        """Steps so far."""
        return self._count

    def is_first(self, optimizer):
        """Whether its steps are those that are counted."""
        return self._first is not None and self._first() is optimizer

    # Called by the hooks (pytorch.py).

    def backward_begins(self):
        """False: this pass is part of another one, or not watched."""
        global backwards
        backwards = True
        self._passes += 1
        if not self._watched or "backward" in self._phases:
            return False
        if self._count == 0 and self._passes > MOST_WITHOUT_STEP:
            return False
        before, now = _clocks()
        self._close("forward", now)
        self._open("backward", now)
        self._pay(before)
        return True

    def backward_ends(self):
        before, now = _clocks()
        self._close("backward", now)
        # As in the step before: of several passes that add up, each has a forward of its own.
        if not self._phases and self._passes < self._passes_before:
            self._open("forward", now)
        self._pay(before)

    def step_begins(self, optimizer):
        if self._watched and "optimizer" not in self._phases:
            before, now = _clocks()
            self._close("forward", now)
            self._open("optimizer", now)
            self._pay(before)

    def step_ends(self, optimizer):
        before, now = _clocks()
        self._close("optimizer", now)
        if self._counts(optimizer):
            self._iterate(before, now)
        elif self._watched and not self._phases:
            self._open("forward", now)

    def _counts(self, optimizer):
        """Of several optimizers the first speaks for all: a pair of a generator's and a discriminator's is one step."""
        first = self._first and self._first()
        if first is None:
            self._first = weakref.ref(optimizer)
            return True
        return first is optimizer

    def _iterate(self, before, now):
        self._count += 1
        history.steps = self._count
        if self._count == 1:
            _watch(True)
            quiet(_tell_callers, now, self._first())
            agent.send({"type": "counters", "time": now, "values": self._imported or {}})
        self._untold = now
        if self._pace.due(self._count, now) or self._watched:
            self._pace.told(now)
            self._tell_last()
        if self._watched:
            self._look(now)
            self._pay(before)
            self._cost += agent.spent_ns - self._sent_for
            self._sent_for = agent.spent_ns
            # The first one paid for the connection as well, which is not asked for again.
            paid = self._cost * LOOKS if self._count > 1 else 0
            self._watch_pace.told(self._since, max(paid, CALM_NS if self._count > EAGER_STEPS else 0))
        self._cost = 0
        self._since = now
        self._passes_before = max(1, self._passes)
        self._passes = 0
        self._phases.clear()
        self._watched = self._watch_pace.due(self._count + 1, now)
        if self._watched:
            self._open("forward", now)

    def _survey_if_due(self, now, values):
        """``values``: the counters of this moment. Returns the nanoseconds that are paid for already."""
        if self._count < FIRST_SURVEY or not agent.listens():
            return 0
        # A history of the allocator is part of what malloc has in use, and grows.
        values = {name: values[name] for name in values if not (history.kept and name == "malloc.in_use")}
        if self._surveyed and self._settled is None:
            self._settled = values
        if now < self._survey_at and not (now >= self._early_at and self._settled and _grown(self._settled, values)):
            return 0
        return self._survey(now)

    def _survey(self, now):
        before = time.thread_time_ns()
        first = not self._surveyed
        seen = what_may_grow()
        tensors = of_types(seen[1], (self._torch.Tensor, self._torch.nn.Parameter))
        rows, totals = survey(self._torch, tensors, self._first and self._first())
        agent.send({"type": "tensors", "time": now, "rows": rows})
        graphs = quiet(self._graphs.survey, self._torch, now, tensors) or []
        del tensors
        agent.send({"type": "objects", "time": now, "rows": graphs + (quiet(self._objects.survey, now, seen) or [])})
        del seen
        totals.update(quiet(between_steps, now) or {})
        agent.send({"type": "counters", "time": now, "values": totals})
        self._survey_cost = time.thread_time_ns() - before
        self.surveyed_ns += self._survey_cost
        self._early_at = now + self._survey_cost * (EARLY_SURVEY_SHARE if first else WALKS)
        self._survey_at = now + self._survey_cost * self._walks(now)
        self._surveyed = True
        return self._survey_cost

    def _walks(self, now):
        return WALKS_EARLY if now - self._born < EARLY_NS else WALKS

    def _end(self):
        self._tell_last()
        now = time.monotonic_ns()
        held = quiet(history.counters)
        if held:
            # It grew until now, which must not be taken for the program's.
            agent.send({"type": "counters", "time": now, "values": held})
        long_enough = self._survey_cost * LAST_SURVEY_SHARE < now - self._born
        if long_enough and self._count >= FIRST_SURVEY and agent.listens():
            quiet(self._survey, now)

    def _tell_last(self):
        if self._untold is not None:
            _send("step", "", self._untold, self._count)
            self._untold = None

    def _look(self, now):
        if agent.listens():
            values, paid = self._gauges.read(now)
            values.update(quiet(history.counters) or {})
            agent.send({"type": "counters", "time": now, "values": values})
            self._cost -= paid + (quiet(self._survey_if_due, now, values) or 0)

    def _open(self, name, now):
        self._phases.append(name)
        _send("phase", name, now, self._count + 1)

    def _close(self, name, now):
        if name in self._phases:
            self._phases.remove(name)
            _send("phase", "/" + name, now, self._count + 1)

    def _pay(self, before):
        self._cost += time.thread_time_ns() - before


def _grown(before, after):
    """Whether any allocator has handed out more; what pages the system gave is another matter."""
    in_bytes = [name for name in after if name == "malloc.in_use" or name.endswith(".allocated")]
    # One that is dear is not read each time.
    more = sum(max(0, after[name] - before.setdefault(name, after[name])) for name in in_bytes)
    return more >= GROWN_BYTES or after["python.blocks"] - before["python.blocks"] >= GROWN_BLOCKS


def _watch(now):
    global watching
    watching = now


def _tell_callers(now, optimizer):
    remember_modules()
    if agent.listens():
        sharded = quiet(is_sharded, optimizer) or False
        agent.send({"type": "callers", "time": now, "frames": callers(), "sharded": sharded})


def quiet(call, *args):
    """Whatever goes wrong in here must not end a training."""
    try:
        return call(*args)
    except Exception:
        return None


def _clocks():
    """The processor's, for what we take, and the wall's: on a busy machine a moment of ours may last long."""
    return time.thread_time_ns(), time.monotonic_ns()


def _send(kind, name, now, number):
    agent.send(
        {"type": "mark", "time": now, "kind": kind, "name": name, "epoch": None, "iteration": number, "value": None}
    )
