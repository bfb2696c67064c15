"""The layer profiler: where a model's memory goes, iteration by iteration (docs/profiler.md).

    profiler = MemoryProfiler(model, print_period=5, csv=True)
    for epoch in range(epochs):
        for batch in loader:
            ...
            profiler.record_stats()
        profiler.epoch_end()

torch is the user's: it is imported here only when a profiler is made.
"""

import sys
import time
import weakref

from ._agent import agent
from ._profiler.budget import Budget
from ._profiler.csv_file import CsvFile
from ._profiler.messages import LayerMessages
from ._profiler.table import Tables
from ._profiler.optimizers import as_list
from ._pace import Pace

OLDEST = (2, 0)
# A recorder is told of so many iterations whatever it costs, of the first hundred as 2 % of the time allows, then as 1 % does.
EAGER = 20
EARLY = 100
EARLY_SHARE, LATE_SHARE = 50, 100


class MemoryProfiler:
    """Prints a table of live memory every ``print_period`` iterations; ``csv=True`` also writes it to a file.

    ``optimizer`` (one or a list) is found by itself when it takes its first step; ``out`` is where the table
    goes, standard output if not given. ``every=1`` follows each iteration layer by layer, which costs; without
    it that is done for 1 % of the time. Ends with ``close()``, as a context manager, or when it is dropped.
    """

    def __init__(self, model, print_period=1, csv=False, optimizer=None, out=None, every=None):
        _whole_number("print_period", print_period)
        if every is not None:
            _whole_number("every", every)
        if not isinstance(csv, bool):
            raise ValueError("csv must be True or False, got %r" % (csv,))
        self.epoch = 1
        self.iteration = 0
        self._print_period = print_period
        self._csv = CsvFile() if csv else None
        self._out = out
        self._warned = set()
        self.say = None  # where warnings go, if not to standard error
        self._watch = None
        self._messages = LayerMessages()
        self._tables = Tables()
        self._pace = Pace(sys.maxsize)
        self._told = 0
        self._latest = None
        self._recorded = (1, 0)
        self._asked = self._live_asked = False
        torch = _torch(self._warn)
        if torch is None:
            return
        if not isinstance(model, torch.nn.Module):
            raise ValueError("model must be a torch.nn.Module, got %s" % type(model).__name__)
        given = as_list(optimizer)
        from ._profiler.watch import Watch

        self._watch = Watch(torch, model, given)
        self._budget = Budget(every, len(self._watch.layers))
        # Dropped without close(): the model must not go on being watched.
        self._finalizer = weakref.finalize(self, self._watch.close)
        self._finalizer.atexit = False
        self._plan()

    def record_stats(self):
        """To be called at the end of each iteration."""
        self.iteration += 1
        if self._watch is None:
            return
        try:
            self._record()
        except Exception as error:
            # Whatever goes wrong in here must not end a training.
            self._warn("the layer profiler stopped: %s: %s" % (type(error).__name__, error))
            self.close()

    def epoch_end(self):
        """To be called at the end of each epoch."""
        self._print("Epoch %d finished" % self.epoch)
        self.epoch += 1
        self.iteration = 0
        if self._watch is not None:
            self._plan()

    def stats(self):
        """The figures of the last iteration in bytes, flat: for wandb, TensorBoard, MLflow."""
        if self._watch is None:
            return {}
        self._asked = True
        snapshot = self._latest
        if snapshot is None or (snapshot.epoch, snapshot.iteration) != self._recorded:
            # An iteration that nobody had asked for.
            snapshot = self._latest = self._watch.measure(*self._recorded)
        flat = {"memory/" + name: size for name, size in snapshot.totals().items() if size is not None}
        flat["memory/detail_epoch"], flat["memory/detail_iteration"] = snapshot.detail_epoch, snapshot.detail_iteration
        for kind, rows in snapshot.rows.items():
            flat.update(("memory/%s/%s" % (kind, name), size) for name, size in rows.items())
        return flat

    def live(self):
        """Bytes that live at this moment on the model's device, by kind, and on a GPU what torch says it has
        ``allocated`` and how much of it is ``other``: workspace, outputs, whatever else the program holds.
        What only a followed iteration can tell is None; from the next on each of them is."""
        if self._watch is None:
            return {}
        self._live_asked = True
        return self._watch.live()

    @property
    def peak_layer(self):
        """The layer that ran when most was live in the last iteration."""
        return None if self._latest is None else self._latest.peak.layer

    @property
    def follows(self):
        """Whether the running iteration is followed layer by layer."""
        return self._watch is not None and self._watch.follows

    def is_trained_by(self, optimizer):
        """Whether it has any of the model's parameters."""
        return self._watch is not None and self._watch.is_trained_by(optimizer)

    def go_on(self, before):
        """Takes over from a profiler of another model: the recorder is told what is gone with that."""
        self._messages = before._messages

    @property
    def csv_path(self):
        return None if self._csv is None else self._csv.path

    def close(self):
        """Takes every hook off the model."""
        if self._watch is not None:
            self._finalizer()
            self._watch = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _record(self):
        self._budget.ended(self._watch.finish(self.epoch, self.iteration))
        due = self.iteration % self._print_period == 0
        before, now = time.thread_time_ns(), time.monotonic_ns()
        listened = agent.listens() and self._pace.due(self.iteration, now)
        if due or listened or self._asked:
            self._latest = self._watch.measure(self.epoch, self.iteration)
        if due:
            self._print(self._tables.table(self._latest))
            self._write_csv()
        if listened:
            self._messages.send(self._latest)
            self._told += 1
            share = EARLY_SHARE if self.iteration <= EARLY else LATE_SHARE
            self._pace.told(now, 0 if self._told < EAGER else share * (time.thread_time_ns() - before))
        if agent.lost:
            self._warn("the recorder has gone away; the training goes on without it")
        self._recorded = (self.epoch, self.iteration)
        self._plan()

    def _plan(self):
        """Follows the next iteration closely if its figures will be wanted and it may cost that."""
        wanted = self._asked or agent.listens() or (self.iteration + 1) % self._print_period == 0
        self._budget.begins()
        self._watch.follow(self._live_asked or self._budget.allows(wanted), wanted)

    def _write_csv(self):
        if self._csv is None:
            return
        try:
            self._csv.write(self._latest)
        except OSError as error:
            self._csv = None
            self._warn("no CSV from here on: %s" % error)

    def _print(self, text):
        try:
            print(text, file=self._out or sys.stdout)
        except (OSError, ValueError) as error:
            # A closed pipe or file.
            self._warn("no table can be printed: %s" % error)

    def _warn(self, text):
        if text in self._warned:
            return
        self._warned.add(text)
        if self.say is not None:
            self.say(text)
            return
        try:
            print("highwater: " + text, file=sys.stderr)
        except (OSError, ValueError):
            pass


memory_profiler = MemoryProfiler


def _whole_number(name, value):
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("%s must be a whole number of 1 or more, got %r" % (name, value))


def _torch(warn):
    """torch, or None with a warning: a program may be run where it is not, and goes on."""
    try:
        import torch
    except ImportError:
        warn("torch is not installed, so that the layer profiler measures nothing")
        return None
    version = tuple(int(word) for word in torch.__version__.split("+")[0].split(".")[:2])
    if version < OLDEST:
        warn("the layer profiler needs torch 2.0 or newer and measures nothing with %s" % torch.__version__)
        return None
    return torch
