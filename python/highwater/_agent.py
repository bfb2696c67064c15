"""The way to the recorder: a bounded queue and one daemon thread that writes it out."""

import atexit
import json
import os
import queue
import socket
import threading

QUEUE_LENGTH = 10_000
PROTOCOL_VERSION = 1


def _rank():
    """The rank of this process, as launchers tell it; torch's first, since others may name the node."""
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return None


class Agent:
    """Connects when the first message comes, and anew in a forked child."""

    def __init__(self):
        self._lock = threading.Lock()
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)
        atexit.register(self.close)

    def send(self, message):
        """Hands a message over; drops and counts it when there is no room. Never raises."""
        try:
            if self._state == "new":
                self._start()
            if self._state == "open":
                self._queue.put_nowait(message)
        except queue.Full:
            self._dropped += 1
        except Exception:
            self._state = "off"

    def close(self):
        """Writes out what waits and says goodbye."""
        try:
            if self._state != "open":
                return
            self._state = "off"
            self._queue.put(None, timeout=1)
            self._thread.join(timeout=1)
        except Exception:
            pass

    def _reset(self):
        self._state = "new"
        self._queue = queue.Queue(QUEUE_LENGTH)
        self._dropped = 0
        self._thread = None

    def _after_fork(self):
        # The parent's thread and connection are not ours; its lock may be held for ever.
        self._lock = threading.Lock()
        self._reset()

    def _start(self):
        with self._lock:
            if self._state != "new":
                return
            write = _connect() or _open_file()
            if write is None:
                self._state = "off"
                return
            self._thread = threading.Thread(
                target=self._run, args=(write,), name="highwater", daemon=True
            )
            self._thread.start()
            self._state = "open"

    def _run(self, write):
        try:
            write(
                {
                    "type": "hello",
                    "version": PROTOCOL_VERSION,
                    "pid": os.getpid(),
                    "language": "python",
                    "rank": _rank(),
                }
            )
            while True:
                message = self._queue.get()
                if message is None:
                    break
                write(message)
            write({"type": "bye", "dropped": self._dropped})
        except Exception:
            # The recorder went away: the program goes on without it.
            self._state = "off"


def encode(message):
    """One line of the protocol."""
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _connect():
    path = os.environ.get("HIGHWATER_SOCKET")
    if not path:
        return None
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(5)
        connection.connect(path)
    except OSError:
        return None
    return lambda message: connection.sendall(encode(message))


def _open_file():
    folder = os.environ.get("HIGHWATER_OUT")
    if not folder:
        return None
    try:
        os.makedirs(folder, exist_ok=True)
        rank = _rank()
        name = "%s-%s-%d.ndjson" % (socket.gethostname(), "-" if rank is None else rank, os.getpid())
        file = open(os.path.join(folder, name), "ab", buffering=0)
    except OSError:
        return None
    return lambda message: file.write(encode(message))


agent = Agent()
