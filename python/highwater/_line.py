"""A way to the recorder that has no thread, never waits, and answers nothing: for a program that is merely looked into now and then.

By C's own sockets: a program may have put others in the place of Python's (gevent).
"""

import _socket
import fcntl
import os
import time

from ._messages import encode, hello
from ._rank import rank

MOST_WAITING = 1 << 20
CONNECT_SECONDS = 2
# Above the numbers that the program's own files get, which are then the same as without us.
LEAST_DESCRIPTOR = 100


class Line:
    def __init__(self):
        self._number = None  # of the descriptor
        self._inode = None
        self._waiting = b""
        self._dropped = 0

    def open(self, path, **about):
        """Whether somebody listens there; ``about``: what else is said of who speaks."""
        try:
            connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            try:
                connection.settimeout(CONNECT_SECONDS)
                connection.connect(path)
                connection.setblocking(False)
                self._number = _high(connection.fileno())
                self._inode = os.fstat(self._number).st_ino
            finally:
                connection.close()
        except OSError:
            self._number = None
            return False
        self.send(hello(rank(), (), **about))
        return True

    def send(self, *messages):
        """Hands over what the recorder takes at once; the rest waits for the next time."""
        lines = b"".join(map(encode, messages))
        if len(self._waiting) + len(lines) > MOST_WAITING:
            self._dropped += len(messages)
            lines = b""
        self._waiting += lines
        if self._number is None or not self._waiting:
            return self._number is not None
        try:
            # A program that closes all files (a daemon) may have given the number to one of its own.
            if os.fstat(self._number).st_ino != self._inode:
                raise OSError("not ours any more")
            with _Borrowed(self._number) as connection:
                sent = connection.send(self._waiting, _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL)
            self._waiting = self._waiting[sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._number = None
        return self._number is not None

    def close(self):
        self.send({"type": "bye", "dropped": self._dropped})
        self.leave()

    def flush(self, seconds):
        """Waits until all is handed over, so long at most: for a process that has nothing else to do."""
        until = time.monotonic() + seconds
        while self._waiting and self.send() and time.monotonic() < until:
            time.sleep(0.01)

    def leave(self):
        """Without a word: in a forked child it is the parent's."""
        number, self._number = self._number, None
        try:
            if number is not None and os.fstat(number).st_ino == self._inode:
                os.close(number)
        except OSError:
            pass


class _Borrowed:
    """A socket of a descriptor's number, which it does not close."""

    def __init__(self, number):
        self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, number)

    def __enter__(self):
        return self._socket

    def __exit__(self, *_):
        self._socket.detach()


def _high(number):
    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR)
    except (OSError, ValueError):
        return os.dup(number)  # fewer are allowed
