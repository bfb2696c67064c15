"""`%%highwater` and `%highwater`: the words that a notebook types."""

import gc
import shlex

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from .._ipython import forget_error, forget_outputs
from . import recording
from .code import awaits
from .drawing import CellReport
from .held import held
from .measured import LEFT, Measured
from .words import holder_lines, size

USE = "%%highwater on a cell's first line, or %highwater start [NAME] | stop | held | free [out] (%highwater? tells more)"


@magics_class
class HighwaterMagics(Magics):
    @no_var_expand
    @line_cell_magic
    def highwater(self, line, cell=None):
        """What a cell takes and leaves, of the host's memory and of the cards'.

        As the first line of a cell, it runs the cell and shows what it took at its peak, at which line, and what it left::

            %%highwater
            a = numpy.ones((5000, 5000))
            b = a @ a
            del a

        ``%highwater held``: what `Out` and the last error keep in memory, and how to let it go.

        ``%highwater free``: lets go of the last error; ``%highwater free out``: of `Out`, `_`, `__` and `___` too.

        ``%highwater start [NAME]`` … ``%highwater stop``: a recording of this kernel, cells as its iterations, for
        `highwater report`, `plot` and `view`. Needs the command line, and so Node; all else does not.
        """
        __tracebackhide__ = True
        words = _words(line)
        if cell is not None:
            if words:
                raise UsageError("%%%%highwater takes no options, but was given: %s" % " ".join(words))
            return self._measure(cell)
        if not words:
            raise UsageError("say what to do: " + USE)
        verb, rest = words[0], words[1:]
        verbs = {"start": self._start, "stop": self._stop, "held": self._held, "free": self._free}
        if verb not in verbs:
            raise UsageError("%%highwater knows no %s: %s" % (verb, USE))
        return verbs[verb](rest)

    def _measure(self, body):
        __tracebackhide__ = True  # an error is shown from the cell on
        try:
            measured = Measured(self.shell, body, may_reset=not recording.looks_on())
        except SyntaxError as error:
            if awaits(self.shell, body):
                raise UsageError("a cell that awaits at its top level cannot be measured alone: %highwater start records it")
            raise error.with_traceback(None)
        last = self.shell.user_ns.get("_oh", {}).get(measured.number) is not None
        if measured.error is not None or (last and any(one.left >= LEFT for one in measured.quantities)):
            measured.holders = held(self.shell, measured.error)
        display(CellReport(measured))
        if measured.error is not None:
            error, measured = measured.error, None
            try:
                raise error.with_traceback(_from_cell(error))
            finally:
                del error  # or it would keep itself

    def _start(self, words):
        if len(words) > 1:
            raise UsageError("%highwater start takes one name at most")
        try:
            print(recording.start(self.shell, words[0] if words else None))
        except recording.CannotRecord as error:
            raise UsageError(str(error))

    def _stop(self, words):
        _none("stop", words)
        try:
            print(recording.stop())
        except recording.CannotRecord as error:
            raise UsageError(str(error))

    def _held(self, words):
        _none("held", words)
        lines = holder_lines(held(self.shell))
        print("\n".join(line[2:] for line in lines) or "Out, _ and the last error keep less than 1 MiB each that nothing else holds")

    def _free(self, words):
        if words not in ([], ["out"]):
            raise UsageError("%highwater free lets go of the last error, %highwater free out of Out as well")
        found = [one for one in held(self.shell) if words or one.is_error]
        forget_error(self.shell)
        if words:
            forget_outputs(self.shell)
        gc.collect()  # errors and their frames hold one another
        print("let go of %s" % size(sum(one.bytes for one in found)))


def _from_cell(error):
    """Its traceback without our own part of it."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_globals.get("__package__") == __package__:
        traceback = traceback.tb_next
    return traceback


def _words(line):
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError("%%highwater %s: %s" % (line, error))


def _none(verb, words):
    if words:
        raise UsageError("%%highwater %s takes nothing more, but was given: %s" % (verb, " ".join(words)))
