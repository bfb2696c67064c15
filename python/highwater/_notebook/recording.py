"""`%highwater start` and `stop`: the recorder beside a kernel that runs, and the kernel's cells told to it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .._agent import agent
from .._cells import Cells

# To begin, Node has to load; to end, a summary is made.
BEGINS_SECONDS = 20
ENDS_SECONDS = 60
NO_COMMAND = (
    "the highwater command is not on the PATH: pip install 'highwater-profiler[node]', or npm install -g highwater "
    "(%%highwater needs neither)"
)


class CannotRecord(Exception):
    """Why not, in one line."""


class _Recording:
    def __init__(self, shell, pid, folder, output):
        self.pid = pid
        self.folder = folder
        self.output = output  # what the recorder says
        self.cells = Cells(shell)


_running = None


def looks_on():
    """Whether somebody records this process, and goes by the kernel's marks of it."""
    return bool(os.environ.get("HIGHWATER_SOCKET")) or (_running is not None and _lives(_running.pid))


def start(shell, name):
    global _running
    if _running is not None and _lives(_running.pid):
        raise CannotRecord("this kernel is recorded already, in %s: %%highwater stop ends that" % _running.folder)
    if os.environ.get("HIGHWATER_SOCKET"):
        raise CannotRecord("this kernel runs under highwater record: its cells are in that recording")
    folder = _folder(name)
    output = tempfile.TemporaryFile()
    pid = _begin([*_command(), "record", "--strict", "--pid", str(os.getpid()), "--name", _stem(folder), "-o", folder], output)
    agent.speak_to(_socket(pid, folder, output))
    _running = _Recording(shell, pid, folder, output)
    _running.cells.follow()
    return "Recording this kernel in %s; %%highwater stop ends it." % folder


def stop():
    global _running
    if _running is None:
        raise CannotRecord("nothing is recorded: %highwater start begins")
    recording, _running = _running, None
    recording.cells.leave()
    agent.speak_to(None)
    try:
        os.kill(recording.pid, signal.SIGINT)
    except ProcessLookupError:
        pass
    if not _wait(lambda: not _lives(recording.pid), ENDS_SECONDS):
        return "The recorder (pid %d) still writes %s." % (recording.pid, recording.folder)
    return _said(recording.output) or "Recorded in %s." % recording.folder


def _folder(name):
    name = name or time.strftime("notebook-%Y%m%d-%H%M%S")
    if not re.fullmatch(r"[\w.+-]+", name) or name.startswith(("-", ".")):
        raise CannotRecord("%r is no name for a recording: letters, digits, and _ . + - within" % name)
    folder = os.path.join("highwater-runs", name if name.endswith(".hw") else name + ".hw")
    if os.path.exists(folder):
        raise CannotRecord("%s is there already: give it another name" % folder)
    return folder


def _stem(folder):
    return os.path.basename(folder)[:-3]


def _command():
    """How the command line is called: from the PATH, or beside this Python."""
    beside = os.path.join(os.path.dirname(sys.executable), "highwater")
    found = shutil.which("highwater") or (beside if os.access(beside, os.X_OK) else None)
    if found is None:
        raise CannotRecord(NO_COMMAND)
    return [found]


def _begin(words, output):
    """Starts the recorder as nobody's child: it is no part of what it records. Its pid."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("HIGHWATER_")}
    shell = ["/bin/sh", "-c", '"$@" </dev/null >&2 & echo $!', "sh", *words]
    try:
        done = subprocess.run(shell, stdout=subprocess.PIPE, stderr=output, env=env, start_new_session=True)
        return int(done.stdout)
    except (OSError, ValueError) as error:
        raise CannotRecord("the recorder could not be started: %s" % (_said(output) or error))


def _socket(pid, folder, output):
    """Where the recorder listens, which it writes into its recording."""
    found = []

    def told():
        try:
            with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
                found.append(json.load(file)["recorder"]["socket"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return found or not _lives(pid)

    if not _wait(told, BEGINS_SECONDS) or not found:
        raise CannotRecord("the recorder did not begin: %s" % (_said(output).splitlines() or ["it says nothing"])[0])
    return found[0]


def _wait(done, seconds):
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _lives(pid):
    try:
        os.kill(pid, 0)
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _said(output):
    output.seek(0)
    return output.read().decode("utf-8", "replace").strip()
