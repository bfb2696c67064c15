"""Lines of tagged allocations, a little late: what a storage is for is known a while after it is made."""

import sys
from collections import deque

# So many events wait at most; what is killed loses those, what ends or raises loses none.
WAITING = 4096


class Storage:
    """Bytes that tensors share, and what they are for."""

    __slots__ = ("bytes", "place", "tag", "written")

    def __init__(self, nbytes, place, tag):
        self.bytes = nbytes
        self.place = place
        self.tag = tag
        self.written = None


class Lines:
    def __init__(self, write=None):
        self._write = write or _to_stderr
        # Releases come from wherever a tensor dies, in any thread: a deque needs no lock.
        self._events = deque()

    def add(self, verb, storage):
        self._events.append((verb, storage))
        if len(self._events) > WAITING:
            self.flush(WAITING // 2)

    def flush(self, most=None):
        text = []
        while self._events and (most is None or len(text) < most):
            text.append(_line(*self._events.popleft()))
        if text:
            self._write("".join(text))


def _line(verb, storage):
    if storage.written is None:
        # A tag must neither end the line nor close its bracket.
        storage.written = "".join("_" if c in "() \t\r\n" else c for c in storage.tag)
    return "[mem] %s %d bytes %s memory (%s).\n" % (verb, storage.bytes, storage.place, storage.written)


def _to_stderr(text):
    sys.stderr.write(text)
    sys.stderr.flush()
