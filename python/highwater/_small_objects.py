"""What Python's own allocator has: objects of up to 512 bytes lie in its arenas, which malloc never sees."""

import ctypes
import re

_TEXT = 1 << 14
_ARENAS = re.compile(rb"(\d+) arenas \* (\d+) bytes/arena")
_IN_USE = re.compile(rb"bytes in allocated blocks\s*=\s*([\d,]+)")


def small_objects():
    """(bytes in use, bytes of all arenas), by the interpreter's own account of them; None where it keeps none.

    It reads one word of each pool of 16 KiB, as `sys.getallocatedblocks` does: a millisecond for each 64 MiB.
    """
    if _account is None:
        return None
    text = ctypes.create_string_buffer(_TEXT)
    stream = _open(text, _TEXT, b"w")
    if not stream:
        return None
    try:
        _account(stream)
    finally:
        _close(stream)
    arenas, in_use = _ARENAS.search(text.value), _IN_USE.search(text.value)
    if not arenas or not in_use:
        return None  # PYTHONMALLOC=malloc
    return int(in_use.group(1).replace(b",", b"")), int(arenas.group(1)) * int(arenas.group(2))


def _find():
    """As functions of our own: those that `ctypes.pythonapi` hands out are shared with all who say what arguments they take."""
    try:
        pointer, libc = ctypes.c_void_p, ctypes.CDLL(None)
        account = ctypes.PYFUNCTYPE(ctypes.c_int, pointer)(("_PyObject_DebugMallocStats", ctypes.pythonapi))
        opens = ctypes.CFUNCTYPE(pointer, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)(("fmemopen", libc))
        return account, opens, ctypes.CFUNCTYPE(ctypes.c_int, pointer)(("fclose", libc))
    except (AttributeError, OSError):
        return None, None, None


_account, _open, _close = _find()
