"""The way to the recorder: a bounded queue and one daemon thread that writes it out."""

import atexit
import os
import socket
import sys
import threading
import time
from collections import deque

from ._answers import HANDLERS
from ._messages import encode, hello
from ._rank import rank
from ._requests import end, listen

QUEUE_LENGTH = 10_000
# The writing thread looks so often for what was said: each of its turns takes Python's lock from the program.
TURN_SECONDS = 0.25
# The first look comes soon, so that what a program said before it forked arrives before what its children say.
FIRST_SECONDS = 0.02
# Without a recorder the process tells its own size too: when it speaks, and when it is silent.
ALONE_SECONDS = 0.1
SILENT_SECONDS = 1


class Agent:
    """Connects when the first message comes, and anew in a forked child."""

    def __init__(self):
        self._lock = threading.Lock()
        self._path = None  # of a recorder that came later
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)
        atexit.register(self.close)

    def send(self, message):
        """Hands a message over, True; drops and counts it when there is no room. Never raises."""
        try:
            if self.listens():
                if len(self._waiting) >= QUEUE_LENGTH:
                    self._dropped += 1
                    return False
                # Nobody is woken: that would cost more than all the rest.
                self._waiting.append(message)
                if self.moment is not None:
                    self.moment(message)
                return True
        except Exception:
            self._state = "off"
        return False

    def listens(self):
        """Whether there is anybody to speak to."""
        if self._state == "new":
            self._start()
        return self._state == "open"

    def close(self):
        """Writes out what waits and says goodbye."""
        try:
            if self._state != "open":
                return
            self._state = "off"
            self._ends.set()
            self._thread.join(timeout=1)
        except Exception:
            pass

    def speak_to(self, path):
        """From now on to the recorder that listens there; None: to nobody any more."""
        self.close()
        self._path = path
        self._reset()
        if path is None:
            self._state = "off"

    def _reset(self):
        self._state = "new"
        self._waiting = deque()  # messages: any thread may append, one takes them out
        self._ends = threading.Event()
        self._dropped = 0
        self._thread = None
        self.spent_ns = 0  # of a processor, by the writing thread
        self.lost = False
        self.alone = False  # there is no recorder: the lines go to a file
        self.moment = None  # called with each message, where a moment is waited for (_sizes/moments.py)

    def _after_fork(self):
        # The parent's thread and connection are not ours; its lock may be held for ever.
        self._lock = threading.Lock()
        self._reset()

    def _start(self):
        with self._lock:
            if self._state != "new":
                return
            self._state = "off"  # unless all of this works
            way = _connect(self._path or os.environ.get("HIGHWATER_SOCKET"), self.send)
            self.alone = way is None
            way = way or _open_file()
            if way is None:
                return
            self._thread = threading.Thread(target=self._run, args=way, name="highwater", daemon=True)
            self._thread.start()
            self._state = "open"
            if os.environ.get("HIGHWATER_SIZES"):
                from ._sizes.moments import arm

                arm(self)
            # A process that multiprocessing forked runs no exit handlers but these.
            util = sys.modules.get("multiprocessing.util")
            if util is not None:
                util.Finalize(None, self.close, exitpriority=0)

    def _run(self, write, close):
        try:
            said = rank()
            write(hello(said, HANDLERS))
            size_at = 0
            pause = FIRST_SECONDS
            going_on = True
            while going_on:
                going_on = not self._ends.wait(pause)
                pause = ALONE_SECONDS if self.alone else TURN_SECONDS
                messages = self._take()
                if self.alone and (messages or not going_on or time.monotonic() >= size_at):
                    messages.append(_size_message())
                    size_at = time.monotonic() + SILENT_SECONDS
                if rank() != said and any(message["type"] == "counters" for message in messages):
                    # Some launchers, and programs without one, tell it late.
                    said = rank()
                    messages.insert(0, hello(said, HANDLERS))
                if messages:
                    write(*messages)
                    self.spent_ns = time.thread_time_ns()
            write({"type": "bye", "dropped": self._dropped})
            close()
        except Exception:
            # The recorder went away: the program goes on without it.
            self._state = "off"
            self.lost = True

    def _take(self):
        messages = []
        while self._waiting:
            messages.append(self._waiting.popleft())
        return messages


def _size_message():
    """The size of this process, for when nobody looks on from outside: a `counters` message, empty where the system does not tell."""
    values = {}
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    values["process.hwm"] = int(line.split()[1]) * 1024
                elif line.startswith(b"VmRSS:"):
                    values["process.rss"] = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return {"type": "counters", "time": time.monotonic_ns(), "values": values}


def _lines(messages):
    return b"".join(map(encode, messages))


def _connect(path, send):
    if not path:
        return None
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(5)
        connection.connect(path)
    except OSError:
        return None
    listen(connection, send)
    return lambda *messages: connection.sendall(_lines(messages)), lambda: end(connection)


def _open_file():
    folder = os.environ.get("HIGHWATER_OUT")
    if not folder:
        return None
    try:
        os.makedirs(folder, exist_ok=True)
        number = rank()
        name = "%s-%s-%d.ndjson" % (socket.gethostname(), "-" if number is None else number, os.getpid())
        file = open(os.path.join(folder, name), "ab", buffering=0)
    except OSError:
        return None
    return lambda *messages: file.write(_lines(messages)), file.close


agent = Agent()
