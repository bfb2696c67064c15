"""The steps of Keras, whichever framework is below it: batches of ``fit``, and optimizers that a loop calls itself."""

import functools
import sys
import time
from importlib import import_module

from .._agent import agent
from .._gauges import Gauges
from .._pace import Pace
from .steps import LOOKS, MANY_STEPS, MANY_WATCHED, STEP_GAP_NS, WALKS_EARLY, quiet


def arm(keras):
    steps = KerasSteps()
    lists = import_module("keras.src.callbacks.callback_list").CallbackList
    _after(lists, "on_train_begin", lambda *_: steps.fit(True))
    _after(lists, "on_train_end", lambda *_: steps.fit(False))
    _after(lists, "on_train_batch_end", lambda *_: steps.step())
    optimizer = import_module("keras.src.optimizers.base_optimizer").BaseOptimizer
    _after(optimizer, "apply_gradients", lambda *_: steps.applied())


def _after(owner, name, tell):
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        quiet(tell, self)
        return result

    setattr(owner, name, method)


class KerasSteps:
    def __init__(self):
        self.count = 0
        self._fits = 0
        self._pace = Pace(MANY_STEPS, STEP_GAP_NS)
        self._looks = Pace(MANY_WATCHED)
        self._gauges = Gauges(None, lambda now: WALKS_EARLY)

    def fit(self, begins):
        self._fits += 1 if begins else -1

    def applied(self):
        """Within ``fit`` its batches count; within a graph this is called once, when that is made."""
        if self._fits == 0 and _eager():
            self.step()

    def step(self):
        self.count += 1
        before, now = time.thread_time_ns(), time.monotonic_ns()
        if self._pace.due(self.count, now):
            self._pace.told(now)
            mark = {"kind": "step", "name": "", "epoch": None, "iteration": self.count, "value": None}
            agent.send({"type": "mark", "time": now, **mark})
        if self._looks.due(self.count, now):
            values, _ = self._gauges.read(now)
            agent.send({"type": "counters", "time": now, "values": values})
            self._looks.told(now, (time.thread_time_ns() - before) * LOOKS)


def _eager():
    tensorflow = sys.modules.get("tensorflow")
    return tensorflow is None or tensorflow.executing_eagerly()
