"""What the process holds, beside the losses of a run that the program itself has opened (`HIGHWATER_TRACK=1`, docs/fleet.md).

Only packages that the program has imported are spoken to, and only runs, sessions and writers of theirs that are open: nothing is
imported, made, closed, or counted for the program. Peaks are those so far, by counters that the kernel and torch keep themselves: nothing is reset.
"""

import _thread
import os
import sys
import time
import weakref

from .._gauges import devices
from .._whole import instances, refusal

PREFIX = "highwater/"
# Each of the first steps is told, then as many as one part in so many of the time pays for.
EAGER_STEPS = 64
SHARE = 250  # 0.4 %
# A run that ends while the last figures are on their way: so long it is waited for them.
LAST_SECONDS = 1.0


class Trackers:
    def __init__(self, torch, steps):
        self._torch = torch
        self._steps = steps
        self._peaks = {}
        self._next = 0
        self._sinks = (_WandB(), _MLflow(), _TensorBoard())

    def step_ends(self, optimizer):
        """After a step was counted."""
        if not self._steps.is_first(optimizer):
            return
        count, now = self._steps.count, time.monotonic_ns()
        if count > EAGER_STEPS and now < self._next:
            return
        open_ones = [sink for sink in self._sinks if _quiet(sink.find, count)]
        if open_ones:
            values = self._values()
            for sink in open_ones:
                _quiet(sink.write, count, values)
        self._next = now + (time.monotonic_ns() - now) * SHARE

    def _values(self):
        values = {}
        _quiet(_host, values)
        found = {}
        _quiet(devices, self._torch, found)
        cards = sorted({name.split(".")[0] for name in found})
        for card in cards:
            peak = found[card + ".peak"]
            self._peaks[card] = max(peak, self._peaks.get(card, 0))  # the program may reset torch's counter
        for name, source in (("peak", None), ("allocated", "allocated"), ("reserved", "reserved")):
            of = {card: self._peaks[card] if source is None else found.get(card + "." + source) for card in cards}
            of = {card: value for card, value in of.items() if value is not None}
            if of:
                values["cuda_%s_bytes" % name] = max(of.values())
            if len(of) > 1:
                for card, value in of.items():
                    values["cuda_%s_%s_bytes" % (card[len("torch"):], name)] = value
        return {PREFIX + name: value for name, value in values.items()}


def _host(values):
    with open("/proc/self/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                values["host_peak_bytes"] = int(line.split()[1]) * 1024
            elif line.startswith(b"VmRSS:"):
                values["host_bytes"] = int(line.split()[1]) * 1024


class _WandB:
    """Its steps stay the program's: our figures go with the row that the program logs next, on an axis of their own."""

    def __init__(self):
        self._run = None
        self._defined = set()

    def find(self, _count):
        run = getattr(sys.modules.get("wandb"), "run", None)
        if run is not None and run is not self._run:
            self._defined = set()
        self._run = run
        return run is not None

    def write(self, count, values):
        axis = PREFIX + "step"
        for name in values:
            if name not in self._defined:
                self._defined.add(name)
                self._run.define_metric(name, step_metric=axis)
        self._run.log(dict(values, **{axis: count}), commit=False)


class _MLflow:
    """A server may take its time: a thread of ours waits for it, and only the newest figures wait for that."""

    def __init__(self):
        self._mlflow = None
        self._run_id = None
        self._waiting = None
        self._lock = _thread.allocate_lock()
        self._busy = False
        self._pid = os.getpid()
        self._at_exit = False

    def find(self, _count):
        self._mlflow = sys.modules.get("mlflow")
        active = getattr(self._mlflow, "active_run", None)
        run = active() if active is not None else None
        self._run_id = run.info.run_id if run is not None else None
        return run is not None

    def write(self, count, values):
        if os.getpid() != self._pid:  # a fork has no thread of ours
            self._pid, self._busy, self._lock = os.getpid(), False, _thread.allocate_lock()
        entities = sys.modules["mlflow.entities"]
        now = int(time.time() * 1000)
        metrics = [entities.Metric(name, value, now, count) for name, value in values.items()]
        if not self._at_exit:
            import atexit

            self._at_exit = True
            atexit.register(self._last)
        with self._lock:
            self._waiting = (self._run_id, metrics)
            if self._busy:
                return
            self._busy = True
        try:
            _thread.start_new_thread(self._send, ())
        except BaseException:
            self._busy = False
            raise

    def _send(self):
        while True:
            with self._lock:
                waiting, self._waiting = self._waiting, None
                if waiting is None:
                    self._busy = False
                    return
            _quiet(self._log, *waiting)

    def _log(self, run_id, metrics):
        # By its number: a call without one would open a run where the program has closed its own.
        self._mlflow.MlflowClient().log_batch(run_id, metrics=metrics)

    def _last(self):
        until = time.monotonic() + LAST_SECONDS
        while self._busy and os.getpid() == self._pid and time.monotonic() < until:
            time.sleep(0.01)


class _TensorBoard:
    """Writers are no globals of anybody's: they are looked for among Python's objects, at the first steps and ever more rarely."""

    KINDS = (("torch.utils.tensorboard.writer", "SummaryWriter"), ("tensorboardX.writer", "SummaryWriter"))

    def __init__(self):
        self._writer = None  # a weak reference
        self._look_at = 1

    def find(self, count):
        if self._open() is not None:
            return True
        kinds = []
        for module, name in self.KINDS:
            kind = getattr(sys.modules.get(module), name, None)
            if isinstance(kind, type):
                kinds += _with_subclasses(kind)
        if not kinds or count < self._look_at or refusal() is not None:
            return False
        self._look_at = 2 * count
        found = [writer for writer in instances(kinds) if _is_open(writer)]
        if found:
            self._writer = weakref.ref(min(found, key=lambda writer: str(writer.log_dir)))
        return bool(found)

    def write(self, count, values):
        writer = self._open()
        if writer is not None:
            for name, value in values.items():
                writer.add_scalar(name, value, global_step=count)

    def _open(self):
        writer = self._writer and self._writer()
        return writer if writer is not None and _is_open(writer) else None


def _is_open(writer):
    """One that was closed would open a file anew."""
    return getattr(writer, "file_writer", None) is not None and getattr(writer, "all_writers", None) is not None


def _with_subclasses(kind):
    found = [kind]
    for one in found:
        found += [below for below in type.__subclasses__(one) if below not in found]
    return found


def _quiet(call, *args):
    """Whatever goes wrong in here must not end a training."""
    try:
        return call(*args)
    except Exception:
        return None
