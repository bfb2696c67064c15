"""What one cell took and left."""

import gc
import os

from .._usage import started_cuda
from .code import CellCode
from .samples import CARDS_EVERY_SECONDS, Samples, sizes
from .words import size

# A holder is looked for where a cell left this much.
LEFT = 16 << 20


class Quantity:
    """Bytes before, at most and after, of the host or of one card; ``exact``: the peak is the kernel's or the allocator's
    own for this cell, else the highest look. ``lines``: words for where it was, empty where nothing is known."""

    def __init__(self, name, level, after, lines, every_ms, note=""):
        self.name = name
        self.before = level.before or 0
        self.peak, self.exact, first, last = level.peak()
        self.after = after
        self.looks = level.looks
        self.every_ms = every_ms
        self.note = note
        self.where, self.line = lines(first, last)

    @property
    def took(self):
        return max(0, self.peak - self.before)

    @property
    def left(self):
        return self.after - self.before


class Measured:
    """A cell that has run; ``error`` is what it raised, or None."""

    def __init__(self, shell, body, may_reset):
        self.code = CellCode(shell, body)
        self.number = shell.displayhook.prompt_count
        gc.collect()
        samples = Samples(self.code.name, may_reset)
        self.error = None
        self.holders = []
        samples.start()
        try:
            self.code.run(shell.user_ns)
        except BaseException as error:
            self.error = error
        self.seconds = samples.stop(self._failed_line())
        gc.collect()
        self.lines_known = samples.lines_known
        self.host, self.cards = self._host(samples), self._cards(samples)
        self.children = _children()

    def _failed_line(self):
        traceback = self.error.__traceback__ if self.error is not None else None
        while traceback is not None and traceback.tb_frame.f_code.co_filename != self.code.name:
            traceback = traceback.tb_next
        return traceback.tb_lineno if traceback is not None else None

    @property
    def quantities(self):
        return [one for one in (self.host, *self.cards) if one is not None]

    def _host(self, samples):
        after = sizes()[0]
        return None if after is None else Quantity("host", samples.host, after, self._lines, 1000 * samples.pause)

    def _cards(self, samples):
        cuda = started_cuda()
        found = []
        for card, level in sorted(samples.cards.items()) if cuda else ():
            try:
                after, reserved = cuda.memory_allocated(card), cuda.memory_reserved(card)
            except Exception:
                continue
            note = _card_note(cuda, card, after, reserved)
            every_ms = 1000 * max(samples.pause, CARDS_EVERY_SECONDS)
            found.append(Quantity("cuda:%d" % card, level, after, self._lines, every_ms, note))
        return found

    def _lines(self, first, last):
        """(words, the line's number where it is one)"""
        if first is False or last is False:
            return "", None
        first = self.code.first if first is None else first
        last = self.code.last if last is None else last
        if first == last:
            return "line %d: %s" % (first, self.code.line(first)), first
        return "between lines %d and %d" % (min(first, last), max(first, last)), None


def _card_note(cuda, card, allocated, reserved):
    """What the allocator keeps beside tensors, and what all that use the card have left of it."""
    words = ["%s kept by the allocator" % size(reserved - allocated)]
    try:
        free, total = cuda.mem_get_info(card)
        words.append("%s of %s free on the card" % (size(free), size(total)))
    except Exception:
        pass
    return ", ".join(words)


def _children():
    """Processes that this one has started and that still live: they are not in its figures."""
    try:
        found = []
        for task in os.listdir("/proc/self/task"):
            with open("/proc/self/task/%s/children" % task) as file:
                found += file.read().split()
        return len(found)
    except OSError:
        return 0
