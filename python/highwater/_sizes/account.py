"""The accounting: the size of the process against what explains it, as plain data."""

import os
import sys

from .._frames import local_variables, thread_frames
from .._whole import whole_objects
from .model import connections
from .process import import_bytes, malloc_free, resident
from .root import default_roots
from .walk import Walk

# Below this share of the process nobody asks what the rest is.
_SMALL = 0.02
_OVER = "more is counted than is resident, not measured why: never written to, mapped from files, in swap, or counted by two"
# The command line knows the second by its name (src/model/sizes.ts).
_NATIVE = "libraries' own memory (buffers, thread stacks)"
_UNNAMED = "what imports and libraries allocate"


def account(*roots, baseline=True, process=None):
    """What ``allsizes_mb`` tells. ``baseline=False``: no fresh process is started to see what imports take. ``process``: what
    `resident` said in the program, for a fork of it, in which less is resident."""
    roots, name = (roots, _name(roots)) if roots else default_roots()
    process = process or resident()
    topsize = process.get("rss", 0)
    walk = Walk()
    walk.add(*roots)
    simsize, wtsize = walk.objects, walk.host_arrays
    mapped = process.get("file", 0)
    loaded = import_bytes() if baseline else None
    code = mapped + (loaded or 0)
    explained = code + simsize + wtsize
    notes = []
    if explained > topsize * (1 + _SMALL):
        notes.append(_OVER)
    return {
        "language": "python",
        "pid": process.get("pid") or os.getpid(),
        "root": name,
        "topsize": topsize,
        "code": {"mapped": mapped, "loaded": loaded},
        "simsize": simsize,
        "wtsize": wtsize,
        "devices": {device: size for device, size in walk.arrays.items() if device != "cpu" and size},
        # A walk of its own; torch has arrays without bytes.
        "connections": connections(roots) if walk.arrays or "torch" in sys.modules else 0,
        "explained": explained,
        "optimisable": max(0, topsize - code - wtsize),
        "rest": _rest(topsize, explained, process, walk, loaded),
        "notes": notes,
    }


def _rest(topsize, explained, process, walk, loaded):
    """[what, bytes] of what is not explained, the largest first; what cannot be named is `other`."""
    left = topsize - explained
    if left <= topsize * _SMALL:
        return []
    objects, arrays = _outside(walk, loaded)
    free = malloc_free()
    named = [
        ("arrays outside the root", arrays),
        ("objects outside the root", objects),
        ("shared memory", process.get("shmem", 0)),
        ("kept by malloc, free", free or 0),
    ]
    rows = []
    for what, size in named:
        size = min(size, left)
        if size > topsize * _SMALL / 4:
            rows.append([what, size])
            left -= size
    rows.sort(key=lambda row: -row[1])
    if left > 0:
        rows.append([_UNNAMED if loaded is None else _NATIVE, left])
    return rows


def _outside(walk, loaded):
    """Bytes of objects and of arrays that the process holds beyond those of ``walk``, and beyond its imports."""
    objects, arrays = walk.objects, walk.host_arrays
    everything = whole_objects()
    # Goes on where the walk ended, so that nothing counts twice.
    walk.widen(everything)
    walk.add(*everything)
    for frame in () if sys.gettrace() else thread_frames().values():
        while frame is not None:
            # Arrays that only a variable of a running function holds; none of ours.
            walk.add(*(value for _, value in local_variables(frame)))
            frame = frame.f_back
    # Objects that imports made are among what imports allocate.
    return max(0, walk.objects - objects - (loaded or 0)), walk.host_arrays - arrays


def _name(roots):
    return " and ".join(type(root).__name__ for root in roots[:4])
