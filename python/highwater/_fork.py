"""Work in a fork of the process, which stands still while the program goes on.

The child is forked twice, so that the program has no child of ours to wait for; it runs nothing of the program's
own (no exit handlers, no finalizers) and asks no device.
"""

import _thread
import gc
import json
import os
import select
import sys
import time
import warnings

_MOST_RESULT = 1 << 20
# Beside twice what is resident: lists of all objects and of their addresses, a few hundred bytes for each.
_LEAST_MEMORY = 1 << 30
# A fork has the name of the thread that forked, from its first moment on: by this one a recorder knows that it is not
# the program's (src/sources/process-tree/own-processes.ts).
_OWN_NAME = b"highwater-self"


class Child:
    """Work that goes on; ``pause_ms`` is how long the program stood still."""

    def __init__(self, middle, pipe, pause_ms):
        self._middle = middle
        self._pipe = pipe
        self.pause_ms = pause_ms
        self._result = None

    def done(self):
        """Whether there is no need to wait."""
        return self._result is not None or bool(select.select([self._pipe], [], [], 0)[0])

    def wait(self):
        """What the work returned; raises RuntimeError with one line where it failed."""
        if self._result is None:
            text = b""
            while True:
                part = os.read(self._pipe, 65536)
                if not part:
                    break
                text += part
            self.close()
            self._result = json.loads(text) if text else {"error": "the forked child died"}
        if "error" in self._result:
            raise RuntimeError(self._result["error"])
        return self._result

    def close(self):
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        self.reap()

    def reap(self):
        """The one in the middle has ended long since, or is about to."""
        if self._middle is not None:
            middle, self._middle = self._middle, None
            try:
                os.waitpid(middle, 0)
            except OSError:
                pass  # the program waits for all children there are


def can_fork():
    """None, or why not."""
    return None if hasattr(os, "fork") and sys.platform != "darwin" else "this system cannot fork a running program"


def in_child(work):
    """Starts ``work()``, which returns what JSON can hold, in a fork."""
    reader, writer = os.pipe()
    began = time.perf_counter()
    name = _rename(_OWN_NAME)
    try:
        with warnings.catch_warnings():
            # Python warns of forks where there are threads: the child uses none of their locks but malloc's.
            warnings.simplefilter("ignore")
            middle = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        if name is not None:
            _rename(name)
        raise
    if middle == 0:
        try:
            os.close(reader)
            if os.fork() == 0:
                _run(work, writer)
        finally:
            os._exit(0)
    pause = (time.perf_counter() - began) * 1000
    if name is not None:
        _rename(name)
    os.close(writer)
    return Child(middle, reader, pause)


def _rename(name):
    """Gives this thread a name in the kernel; its name until then, or None where it cannot be given one."""
    try:
        path = "/proc/self/task/%d/comm" % _thread.get_native_id()
        with open(path, "rb") as file:
            before = file.read().rstrip(b"\n")
        with open(path, "wb", buffering=0) as file:
            file.write(name)
        return before
    except (OSError, AttributeError):
        return None


def _run(work, writer):
    try:
        gc.disable()
        gc.unfreeze()
        _close_others(writer)
        _make_way()
        _limit_memory()
        result = work()
    except MemoryError:
        result = {"error": "it needs more memory than twice what the program has and 1 GiB"}
    except BaseException as error:
        result = {"error": "%s: %s" % (type(error).__name__, str(error).splitlines()[0] if str(error) else "")}
    os.write(writer, json.dumps(result).encode()[:_MOST_RESULT])
    os._exit(0)


def _close_others(kept):
    """The program's files, sockets and pipes are its own: a port must not stay taken, nor a pipe open, because of us."""
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for number in map(int, os.listdir("/proc/self/fd")):
            if number > 2 and number not in (kept, null):
                os.closerange(number, number + 1)
            elif number != kept:
                os.dup2(null, number)
    except OSError:
        pass


def _limit_memory():
    """What the work takes is bounded by what the program has: an error of ours must not fill the machine."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:
            size, resident = (int(pages) * resource.getpagesize() for pages in file.read().split()[:2])
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = size + 2 * resident + _LEAST_MEMORY
        limits = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min([most, *limits]), hard))
    except (ImportError, OSError, ValueError):
        pass


def _make_way():
    """The program comes first, and if memory runs out it is the copy that goes."""
    try:
        os.nice(10)
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
