"""The resident size of the process, and what explains it."""

import os

from .arrays import Storage
from .._fork import can_fork, in_child
from .non_python_memory import ADVICE, memory, non_python_memory
from .table import Text


def account(every):
    """``every``: all objects of the process. Text that adds up to the resident size."""
    held = sum(one.bytes for one in every.nodes if type(one) is Storage and one.host)
    devices = sum(one.bytes for one in every.nodes if type(one) is Storage and not one.host)
    python = every.size - held - devices
    pid = os.getpid()
    try:
        # Python's allocator speaks to standard error only, which is the program's.
        found = memory(pid, False) if can_fork() else in_child(lambda: memory(pid, True)).wait()
    except (OSError, RuntimeError):
        found = memory(pid, False)
    if "rss" not in found:
        return Text("The system does not tell what the process is made of.")
    parts = [("Python objects", python, ""), ("data of arrays and tensors", held, "")]
    rest = non_python_memory(found, python, held)
    parts += [(name, rest[name], ADVICE[name]) for name in sorted(rest, key=lambda name: -abs(rest[name]))]
    lines = ["Resident size of process %d: %s MiB." % (pid, _mib(found["rss"]))]
    lines += [("%10s MiB  %-34s %s" % (_mib(size), name, advice)).rstrip() for name, size, advice in parts]
    if devices:
        lines.append("Beside it, on devices: %s MiB of tensors." % _mib(devices))
    return Text("\n".join(lines))


def _mib(size):
    return "%.1f" % (size / 2**20)
