"""The answer to `highwater snapshot` (docs/agent-protocol.md).

The program stands still while it is forked, and while what a fork would lose is read: the variables of its threads, counters that only
a process that speaks to the card can ask. The fork then makes one more for each part, all of them of the same moment.
"""

import _thread
import json
import os
import re
import signal
import sys
import time

from .._alone import alone
from .._fork import can_fork, in_child
from .._frames import keep_threads, use_threads
from .._gauges import devices, pinned
from .._heap.roots import roots
from .._line import Line
from .._sizes.process import resident
from .._threads import main_ident, use_main
from .._whole import refusal
from .parts import parts_of

FLUSH_SECONDS = 10
_CARD = re.compile(r"torch(\d+)\.reserved$")
_busy = _thread.allocate_lock()


def answer(options):
    """``folder``: an absolute path; ``socket``: of whom to tell. Comes when all parts are written: {"time", "pauseMs", "parts"}."""
    folder, socket = options.get("folder"), options.get("socket")
    if not all(isinstance(one, str) and one.startswith("/") for one in (folder, socket)):
        raise ValueError("a snapshot needs the absolute paths of a folder and a socket")
    reason = refusal() or can_fork()
    if reason:
        return {"refused": reason}
    if not _busy.acquire(False):
        return {"refused": "a snapshot of it is being written already"}
    try:
        child, now, pause_ms = _fork(folder, socket)
        child.reap()
        return {"time": now, "pauseMs": round(pause_ms, 1), **child.wait()}
    finally:
        _busy.release()


def _fork(folder, socket):
    began = time.perf_counter()
    # What the program lets go while we have hold of its variables would end in our thread.
    with alone():
        moment = _Moment(folder, socket)
        child = in_child(moment.write)
        now = moment.now
        del moment
    return child, now, (time.perf_counter() - began) * 1000


class _Moment:
    """What is read in the program itself."""

    def __init__(self, folder, socket):
        self.folder = folder
        self.socket = socket
        self.pid = os.getpid()
        self.now = time.monotonic_ns()
        self.wall_ms = round(time.time() * 1000)
        torch = sys.modules.get("torch")
        self.torch = torch if hasattr(torch, "nn") and hasattr(torch, "optim") else None  # or it is being loaded
        self.counters = {"python.blocks": sys.getallocatedblocks()}
        for read in (devices, pinned) if self.torch is not None else ():
            try:
                read(self.torch, self.counters)
            except Exception:
                pass  # an allocator that keeps no counters, or a build without CUDA
        self.cards = [int(_CARD.match(name).group(1)) for name in self.counters if _CARD.match(name)]
        self.process = resident()
        self.main = main_ident()
        self.roots = roots()
        self.threads = keep_threads()

    def write(self):
        """In the fork."""
        use_threads(self.threads)
        use_main(self.main)
        told = {}
        for name, work, seconds in parts_of(self):
            # Who asked has gone, and the folder with them.
            if not os.path.isdir(self.folder):
                break
            began = time.perf_counter()
            told[name] = _apart(lambda work=work: self._tell(work), seconds)
            told[name]["seconds"] = round(time.perf_counter() - began, 2)
        return {"parts": told}

    def _tell(self, work):
        line = Line()
        if not line.open(self.socket, pid=self.pid, writes=True):
            raise RuntimeError("who asked for it has gone")
        facts = work(self, line.send)
        line.flush(FLUSH_SECONDS)
        line.close()
        return facts or {}


def _apart(work, seconds):
    """What ``work()`` returned in a fork, or {"error"}: a part that dies takes no other along."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            os.write(writer, json.dumps(_outcome(work)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    text = b""
    part = os.read(reader, 65536)
    while part:
        text += part
        part = os.read(reader, 65536)
    os.close(reader)
    status = os.waitpid(child, 0)[1]
    if text:
        return json.loads(text)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return {"error": "it took longer than %d s" % seconds}
    return {"error": "the fork that wrote it died" + (" of signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "")}


def _outcome(work):
    try:
        return work()
    except MemoryError:
        return {"error": "it needs more memory than twice what the program has and 1 GiB"}
    except OSError as error:
        return {"error": error.strerror or str(error), "code": error.errno}
    except BaseException as error:
        lines = str(error).splitlines()
        return {"error": "%s: %s" % (type(error).__name__, lines[0] if lines else "")}
