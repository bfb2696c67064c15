"""``record --layers``: the layer profiler and the allocator's tags in a program that has no line of ours."""

import atexit
import os
import sys
import time
import weakref

from .._profiler import optimizers as _optimizers
from .._agent import agent
from .._model import find_model
from .oom import dump_end
from .overhead import Overhead
from .tag_windows import TagWindows
from .tagging import Tagger, way_to_write
from ..profiler import MemoryProfiler

# What a tag costs is found out once, by so many of them.
TRIALS = 500
# So often a model is looked for again, each time through all objects.
MOST_LOOKS = 20


class Layers:
    """Begins when the first optimizer has taken its first step: then the model is known by what is trained."""

    def __init__(self, torch, hooks, steps):
        self._torch = torch
        self._steps = steps
        self._profiler = self._tagger = self._windows = None
        self._tagged = 0  # steps whose allocations had tags
        self._overhead = None
        self._look_again = False
        self._optimizers = weakref.WeakSet()  # that are known to train this model, or none that can be found
        self._looks = 0
        self._over = False
        self._seen_calls = self._tag_ns = self._surveyed = 0
        self._pid = os.getpid()
        _optimizers.hooks = self._hooks = hooks
        hooks.register_optimizer_step_pre_hook(self._before)
        self._handle = hooks.register_optimizer_step_post_hook(self._after)
        atexit.register(self._end)

    def backward_begins(self, roots):
        if self._tagger is not None and os.getpid() == self._pid:
            self._tagger.backward(roots)

    def _before(self, optimizer, *_):
        if self._tagger is not None:
            self._tagger.phase("optimizer")

    def _after(self, optimizer, *_):
        if self._over or os.getpid() != self._pid:
            return
        if optimizer not in self._optimizers:
            self._optimizers.add(optimizer)
            if self._profiler is not None and not self._profiler.is_trained_by(optimizer):
                self._look_again = True
        if not self._steps.is_first(optimizer):
            return
        if self._profiler is None or (self._look_again and self._looks < MOST_LOOKS):
            self._begin()
            return
        followed = self._profiler.follows
        self._overhead.step_ends()
        self._profiler.record_stats()
        surveyed, self._surveyed = self._steps.surveyed_ns - self._surveyed, self._steps.surveyed_ns
        tags = self._tag_cost()
        self._overhead.step_begins(followed, tags, surveyed)
        if self._tagger is not None:
            self._pause_tags(followed, tags)
            self._tagger.phase("forward", self._profiler.iteration + 1)
        if _now_and_then(self._overhead.steps):
            self._tell()

    def _begin(self):
        """With the first step, and again when an optimizer trains something else: of the next fold, a second network."""
        self._looks += 1
        self._look_again = False
        if self._overhead is not None:
            self._overhead.step_ends()
        self._over = "highwater.profiler" in sys.modules or not agent.listens()
        if self._over:
            return  # the program has a layer profiler of its own, which tells the recorder
        model = find_model(self._torch)
        before = self._profiler
        if model is None and before is not None:
            return
        if model is None:
            self._over = True
            agent.send({"type": "warning", "text": "--layers: no module has the parameters that are trained"})
            return
        if before is not None:
            before.close()
        if self._tagger is not None:
            self._tagger.close()
            self._tagger = None
        self._profiler = MemoryProfiler(model, print_period=sys.maxsize)
        self._profiler.say = _warn
        self._profiler.iteration = self._steps.count
        if before is not None:
            self._profiler.go_on(before)
        write = way_to_write(self._torch)
        if write is not None:
            self._tagger = Tagger(self._torch, model, write, self._steps.count + 1)
            # Each card has a thread of its own for the backward pass, and only the loss's can be told of a pause.
            cards = {parameter.device for parameter in model.parameters()}
            self._windows = TagWindows() if len(cards) == 1 else None
            self._time_tags()
        # Last of all, after the profiler's own.
        self._handle.remove()
        self._handle = self._hooks.register_optimizer_step_post_hook(self._after)
        if self._overhead is None:
            self._overhead = Overhead()
        else:
            self._overhead.began_again()

    def _time_tags(self):
        before = time.perf_counter_ns()
        for _ in range(TRIALS):
            self._tagger.phase("forward")
        self._tag_ns = (time.perf_counter_ns() - before) / TRIALS
        self._seen_calls = self._tagger.calls

    def _pause_tags(self, followed, least):
        """The step that ended had tags, or had none; whether the next one has them."""
        windows, before = self._windows, self._windows is None or self._windows.on
        self._tagged += before
        self._overhead.tagged = self._tagged
        if windows is not None and windows.step_took(self._overhead.took, followed, least) != before:
            self._tagger.go_on() if windows.on else self._tagger.rest()

    def _tag_cost(self):
        """Of those since the last time it was asked for: as steps with and without have shown, or what writing them alone takes."""
        if self._tagger is None:
            return 0
        calls, self._seen_calls = self._tagger.calls - self._seen_calls, self._tagger.calls
        known = self._windows.cost() if calls and self._windows is not None else None
        return calls * self._tag_ns if known is None else known

    def _tell(self):
        agent.send({"type": "counters", "time": time.monotonic_ns(), "values": self._overhead.values()})

    def _end(self):
        """Of a process that trained itself, not of those that it forked."""
        if self._profiler is None or os.getpid() != self._pid:
            return
        try:
            self._tell()
            if self._tagger is not None:
                dump_end(self._torch)
        except Exception:
            pass


def _now_and_then(count):
    return count & (count - 1) == 0 or count % 500 == 0


def _warn(text):
    agent.send({"type": "warning", "text": text})
