"""What a notebook keeps for you without being asked: values of `Out`, and the variables of a cell that failed.

Bytes are those that would go with a holder: what nothing else leads to. All objects are walked for it, a fraction of a
second with a million of them.
"""

import gc
import sys

from .._heap.arrays import Storage
from .._heap.dominated import reached
from .._heap.heap_context import HeapContext, quiet_collector
from .._heap.references import References
from .._heap.roots import roots
from .._ipython import ERROR_NAMES, failed_variables, keepers, last_error, output_names

# Holders of less are not worth a line.
WORTH = 1 << 20
MOST_VARIABLES = 3


class Holder:
    """``name`` as one would type it, ``what`` it is, and how to let it go; bytes of the host and of cards."""

    def __init__(self, name, what, advice, host=0, cards=0, parts=()):
        self.name = name
        self.what = what
        self.advice = advice
        self.host = host
        self.cards = cards
        self.parts = parts  # pairs: a variable of a failed cell's functions, its bytes

    @property
    def is_error(self):
        return self.advice is ERROR_ADVICE

    @property
    def bytes(self):
        return self.host + self.cards


def held(shell, error=None):
    """Holders of a MiB or more, the largest first; ``error``: one that is on its way to be the last."""
    gc.collect()  # what waits for the collector is held by nobody
    with quiet_collector():
        return sorted(_Look(shell, error).holders(), key=lambda one: -one.bytes)


class _Look:
    def __init__(self, shell, error):
        self._shell = shell
        self._error = error
        self._context = HeapContext()
        self._hidden = self._context.hidden | {id(self), id(self.__dict__)}
        self._links = References(self._hidden)

    def holders(self):
        # No way leads through what is ours, nor through the places that are asked about.
        barred = {id(one) for one in keepers(self._shell)} | self._hidden
        others = reached(self._starts(), self._links, barred)
        others.update(dict.fromkeys(barred))
        found = []
        for names, value in self._outputs():
            found.append(self._holder(Holder(", ".join(names), _what(value), OUTPUT_ADVICE), [value], others))
        error = last_error() if self._error is None else self._error
        if error is not None:
            holder = Holder("sys.last_traceback", "the variables of the cell that failed", ERROR_ADVICE)
            found.append(self._holder(holder, [error], others))
            holder.parts = self._variables(error, others)
        return [one for one in found if one.bytes >= WORTH]

    def _outputs(self):
        """([names], value): a value that has several names is told once."""
        names = output_names(self._shell)
        values = {id(value): value for _, value in names}
        return [([name for name, one in names if one is value], value) for value in values.values()]

    def _starts(self):
        """All that leads to objects but for what is asked about."""
        names = {name for name, _ in output_names(self._shell) if not name.startswith("Out")} | {"_oh", "Out"}
        ours = keepers(self._shell)
        starts = [value for _, value in roots() if not any(value is one for one in ours)]
        for variables in (self._shell.user_ns, self._shell.user_ns_hidden):
            starts += [value for name, value in list(variables.items()) if name not in names]
        return starts + [value for name, value in list(vars(sys).items()) if name not in ERROR_NAMES]

    def _holder(self, holder, values, others):
        for one in self._beyond(values, others):
            size = one.bytes if type(one) is Storage else 0
            if type(one) is Storage and not one.host:
                holder.cards += size
            else:
                holder.host += size
        return holder

    def _beyond(self, values, others):
        return reached(values, self._links, others.keys()).values()

    def _variables(self, error, others):
        """The largest variables of the functions that the error came through."""
        found = []
        for function, name, value in failed_variables(error):
            size = sum(one.bytes for one in self._beyond([value], others) if type(one) is Storage)
            if size >= WORTH:
                found.append(("%s in %s()" % (name, function), size))
        return sorted(found, key=lambda pair: -pair[1])[:MOST_VARIABLES]


OUTPUT_ADVICE = "%highwater free out"
ERROR_ADVICE = "%highwater free"


def _what(value):
    kind = type(value)
    shape = getattr(value, "shape", None)
    return kind.__name__ if not isinstance(shape, tuple) else "%s of %s" % (kind.__name__, "x".join(map(str, shape)) or "()")
