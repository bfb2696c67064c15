"""The program's threads, asked for without loading `threading`.

Until Python 3.12 the thread that loads it first counts as the program's main thread for good, and one that came by
attaching would be that: only a program that has loaded it itself is asked through it.
"""

import _thread
import sys

_of_program = None  # in a fork, where the thread that forked counts as the main one


def thread_names():
    """{number: name}; only the main thread's where the program has no others by `threading`."""
    threading = _loaded()
    if threading is None:
        return {main_ident(): "MainThread"}
    return {one.ident: one.name for one in threading.enumerate()}


def main_ident():
    """The number of the main thread; in a fork, of the program's that it was made of."""
    if _of_program is not None:
        return _of_program
    threading = _loaded()
    if threading is not None:
        return threading.main_thread().ident
    if hasattr(_thread, "_get_main_thread_ident"):
        return _thread._get_main_thread_ident()
    return list(sys._current_frames())[-1]  # the newest comes first


def use_main(ident):
    """In a fork: this was the main thread of the program."""
    global _of_program
    _of_program = ident


def _loaded():
    threading = sys.modules.get("threading")
    # Another thread may be at it.
    return None if getattr(getattr(threading, "__spec__", None), "_initializing", False) else threading
