"""The rest: memory of the process that no Python object accounts for, by where it is (docs/python-heap.md)."""

import os
import re
import sys

from .._gauges import mallinfo

LIBRARIES = "native libraries and mapped files"
STACKS = "thread stacks"
SHARED = "shared memory"
DEVICES = "device mappings"
PYTHON_FREE = "free in Python's allocator"
MALLOC_FREE = "free in malloc"
OTHER = "native memory and overhead"
ABSENT = "counted but not resident"

ADVICE = {
    LIBRARIES: "code of Python and of imported packages: import less, or later",
    STACKS: "threads: fewer of them (OMP_NUM_THREADS, num_workers), or smaller stacks (ulimit -s)",
    SHARED: "blocks in /dev/shm, counted in every process that maps them: data loaders, multiprocessing",
    DEVICES: "a driver's own",
    PYTHON_FREE: "objects that are gone, in arenas that others keep: what lives long is best made before what does not",
    MALLOC_FREE: "freed and not returned: MALLOC_ARENA_MAX=2, MALLOC_TRIM_THRESHOLD_=65536 or malloc_trim(0) give it back",
    OTHER: "no object's: a native extension (look with heaptrack, or memray --native), caches of a library, or rounding",
    ABSENT: "not measured which: memory that was never written to, that is in swap, or that two objects both count",
}
_USUAL_STACK = 8 << 20
_HEADING = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$")
_FREE = re.compile(rb"(?:# bytes in available blocks|unused pools \* \d+ bytes) *= *([\d,]+)")


def memory(pid, isolated):
    """Bytes by name, of process ``pid``; ``isolated``: this is a fork of it, whose output nobody sees."""
    found = mappings(pid)
    if mallinfo is not None:
        found[MALLOC_FREE] = mallinfo().fordblks
    if isolated:
        found[PYTHON_FREE] = _python_free()
    return found


def non_python_memory(found, python, storages):
    """All of it but what objects and arrays hold; with these it adds up to the resident size."""
    if "rss" not in found:
        return {}
    parts = {name: size for name, size in found.items() if name != "rss" and size}
    rest = found["rss"] - python - storages - sum(parts.values())
    parts[OTHER if rest >= 0 else ABSENT] = rest
    return parts


def mappings(pid):
    """What of the resident size is in files, stacks, shared memory and devices; empty where the system does not tell."""
    found = {"rss": 0, LIBRARIES: 0, STACKS: 0, SHARED: 0, DEVICES: 0}
    most = _largest_stack()
    try:
        with open("/proc/%d/smaps" % pid, "rb") as file:
            name, guard = None, False
            for line in file:
                heading = _HEADING.match(line)
                if heading:
                    small = int(heading.group(2), 16) - int(heading.group(1), 16) <= most
                    name = _mapping(heading.group(4), guard and small and heading.group(3).startswith(b"rw"))
                    guard = heading.group(3).startswith(b"---")
                elif line.startswith(b"Rss:"):
                    size = int(line.split()[1]) * 1024
                    found["rss"] += size
                    if name is not None:
                        found[name] += size
    except (OSError, ValueError, IndexError):
        return {}
    return found


def _largest_stack():
    """What follows a guard page and is larger is a stack with other memory behind it, which the kernel tells as one."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_STACK, getrlimit

        limit = getrlimit(RLIMIT_STACK)[0]
        return _USUAL_STACK if limit == RLIM_INFINITY else max(limit, _USUAL_STACK)
    except (ImportError, OSError, ValueError):
        return _USUAL_STACK


def _mapping(path, after_guard):
    if path.startswith(b"[stack") or (path == b"" and after_guard):
        return STACKS
    if path.startswith((b"/dev/shm", b"/memfd:", b"/SYSV", b"/dev/zero")):
        return SHARED
    if path.startswith((b"/dev/", b"anon_inode:")):
        return DEVICES
    return LIBRARIES if path.startswith(b"/") else None


def _python_free():
    """Free blocks and pools of Python's small-object allocator, which tells them on standard error only."""
    try:
        import tempfile  # loads `threading` on old versions (_threads.py); the forked child has one of its own

        with tempfile.TemporaryFile() as file:
            before = os.dup(2)
            try:
                os.dup2(file.fileno(), 2)
                sys._debugmallocstats()
            finally:
                os.dup2(before, 2)
                os.close(before)
            file.seek(0)
            return sum(int(size.replace(b",", b"")) for size in _FREE.findall(file.read()))
    except (OSError, AttributeError):
        return 0
