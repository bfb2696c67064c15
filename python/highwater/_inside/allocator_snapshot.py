"""A snapshot of CUDA's allocator, with its history, in the folder of the recording.

A fork of the program writes it, as that takes a second for each hundred thousand entries: the program itself
stands still for the fork alone. The fork asks no device (what it lists lies in the host's memory), and its copies of the
program's files are closed first, the card's among them: the card's memory is not kept by it.
"""

import os
import signal
import time

from .._agent import agent
from .._fork import can_fork, in_child
from .._line import Line
from .snapshot_file import write

# Another thread may have held a lock of the allocator when the fork was made: then nothing comes of it.
MOST_SECONDS = 60
FLUSH_SECONDS = 5


def folder():
    return os.environ.get("HIGHWATER_SNAPSHOTS") or os.environ.get("HIGHWATER_OUT")


def write_aside(torch, amend):
    """Starts it (`snapshot_file.write`); the fork's answer can be waited for. Where no fork can be made it is done here, and there is
    no answer."""
    now, pid, socket = time.monotonic_ns(), os.getpid(), os.environ.get("HIGHWATER_SOCKET", "")
    if not socket or can_fork() is not None:
        write(torch, amend, now, agent.send, folder())
        return None

    def work():
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(MOST_SECONDS)
        line = Line()
        line.open(socket, pid=pid, writes=True)
        answer = write(torch, amend, now, line.send, folder())
        line.flush(FLUSH_SECONDS)
        line.close()
        return answer

    child = in_child(work)
    child.reap()
    return child
