"""Lines of the protocol (docs/agent-protocol.md), and the first of them: who speaks."""

import _socket
import json
import os
import sys
import time

from ._rank import job

PROTOCOL_VERSION = 1


def hello(number, answers, **more):
    """Who speaks, of which rank, and what it can be asked; ``more`` takes the place of what is said here."""
    return {
        "type": "hello",
        "version": PROTOCOL_VERSION,
        "pid": os.getpid(),
        "language": "python",
        "rank": number,
        "host": _socket.gethostname(),
        "program": os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else "",
        "time": time.monotonic_ns(),
        "wall": time.time_ns(),
        "answers": list(answers),
        **job(),
        **more,
    }


def encode(message):
    """One line of the protocol."""
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
