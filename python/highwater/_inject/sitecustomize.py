"""Highwater's way into a Python program that has no line of ours (docs/injection.md).

``highwater record`` puts this folder first on PYTHONPATH, so that Python runs this file at its start. It
takes itself off sys.path, waits for the program to import a framework, and lets the program's own sitecustomize
run in its place, as if this one had never been. Read by every Python, 2.7 included.
"""

import sys


def _leave_path():
    """What the program sees of its path is what it would see without us."""
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    return os.path.dirname(here), os.environ


# What is waited for, and the part of the agent that knows it.
_FRAMEWORKS = {
    "torch": "pytorch",
    "jax": "jax",
    "tensorflow": "tensorflow",
    "keras": "keras",
    "IPython": "ipython",
    "highwater": "namesake",
}


class _Wait(object):
    """Stands first among the finders until frameworks have been imported; finds nothing itself."""

    def __init__(self, package):
        self._package = package
        self._awaited = {name: part for name, part in _FRAMEWORKS.items() if name not in sys.modules}

    def __repr__(self):
        return "<highwater: waits for %s>" % ", ".join(sorted(self._awaited))

    def find_spec(self, name, path=None, target=None):
        if path is not None or name not in self._awaited:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is not None:
                self._follow(name, spec.loader)
                return spec
        return None

    def _follow(self, name, loader):
        """Looks on while the module is executed, this once; the loader stays what it is."""
        execute = getattr(loader, "exec_module", None)

        def _call_with_frames_removed(module):
            if "exec_module" in getattr(loader, "__dict__", ()):
                del loader.exec_module
            execute(module)
            self._arrive(name, module)

        # Under this name Python leaves it out of tracebacks, as it does with its own part of an import.
        code = _call_with_frames_removed.__code__.replace(co_filename="<frozen importlib._bootstrap>")
        _call_with_frames_removed.__code__ = code
        try:
            loader.exec_module = _call_with_frames_removed
        except Exception:
            pass  # a loader that takes no attributes: then there is no agent

    def _arrive(self, name, module):
        try:
            part = self._awaited.pop(name, None)
            if not self._awaited and self in sys.meta_path:
                sys.meta_path.remove(self)
            if part is not None:
                _load(self._package, "_inside." + part).arm(module)
        except Exception:
            pass  # the program must not suffer


class _Looks(object):
    """A thread that sleeps until this process has lived a while, and then looks into it (_inside/plain.py).

    Unknown to `threading`, deaf to signals, and not there while the program forks: Python warns of threads then, and a child that
    is to be another program must have none.
    """

    FIRST_SECONDS = 1.0
    # What ends and begins of it may cost a program that forks: one part in so many of its time, and a little at first.
    SHARE = 200
    FREE_SECONDS = 0.05

    def __init__(self, package):
        import _signal
        import _thread
        import os
        import time

        # As they are now: a program may put others in their place (gevent).
        self._signal, self._os = _signal, os
        self._new_lock, self._new_thread, self._number_of = _thread.allocate_lock, _thread.start_new_thread, _thread.get_native_id
        self._clock, self._sleep = time.monotonic, time.sleep
        self._package = package
        self._done = None  # a lock that the thread lets go of at its end; None: there is no thread
        self._spent = 0.0
        self._not_before = 0
        self._born = self._clock()
        if self._in_main_interpreter(_thread):
            self._start()
            os.register_at_fork(before=self._before_fork, after_in_parent=self._in_parent, after_in_child=self._in_child)

    def _in_main_interpreter(self, _thread):
        """One that is part of another must be left by all its threads."""
        if hasattr(_thread, "_is_main_interpreter"):
            return _thread._is_main_interpreter()
        try:
            self._signal.set_wakeup_fd(-1)  # as it is; refused anywhere else
            return True
        except ValueError:
            return False

    def _start(self):
        if self._done is not None:
            return
        self._wake, done = self._new_lock(), self._new_lock()
        self._wake.acquire()
        done.acquire()
        # Inherited: a signal that the program's own threads block, to wait for it, must not come here.
        signals = self._signal.pthread_sigmask(self._signal.SIG_BLOCK, self._signal.valid_signals())
        try:
            self._new_thread(self._run, (self._wake, done))
            self._done = done
        finally:
            self._signal.pthread_sigmask(self._signal.SIG_SETMASK, signals)

    def _run(self, wake, done):
        self._number = self._number_of()
        try:
            self._no_more_collections()
            if not wake.acquire(True, max(0.01, self._born + self.FIRST_SECONDS - self._clock())):
                _load(self._package, "_inside.plain").run(wake)
        except Exception:
            pass  # the program must not suffer
        finally:
            done.release()

    def _before_fork(self):
        done, self._done = self._done, None
        if done is None:
            return
        began = self._clock()
        self._wake.release()
        if done.acquire(True, 0.2):
            # It has said its last; the kernel counts it a moment longer.
            while self._clock() - began < 0.2 and self._lives():
                self._sleep(0.00002)
        self._spent += self._clock() - began

    def _lives(self):
        try:
            self._os.stat("/proc/self/task/%d" % self._number)
            return True
        except OSError:
            return False

    def _in_parent(self):
        began = self._clock()
        if self._spent > self.FREE_SECONDS + (began - self._born) / self.SHARE:
            return  # it forks all the time
        try:
            if sys.version_info < (3, 12):
                self._start()
            else:
                self._start_later(began + 0.2)  # 3.13 counts threads after this
        except Exception:
            pass
        self._spent += self._clock() - began

    def _in_child(self):
        """Most children become other programs at once: no thread before it is known that this one does not."""
        self._done = None
        self._born = self._clock()
        self._spent = 0.0
        plain = sys.modules.get("_highwater._inside.plain")
        try:
            if plain is not None:
                plain.forget()
            util = sys.modules.get("multiprocessing.util")
            if util is not None:
                util.register_after_fork(self, _Looks._start)
            self._start_later(self._born + self.FIRST_SECONDS)
        except Exception:
            pass

    def _start_later(self, when):
        """At the first collection of the program's objects after that moment."""
        import gc

        self._not_before = when
        if self._collected not in gc.callbacks:
            gc.callbacks.append(self._collected)

    def _collected(self, phase, _info):
        if self._done is None and phase == "stop" and self._clock() >= self._not_before:
            try:
                self._start()
            except Exception:
                self._not_before = self._clock() + 60

    def _no_more_collections(self):
        gc = sys.modules.get("gc")
        if gc is not None and self._collected in gc.callbacks:
            gc.callbacks.remove(self._collected)


def _load(package, module):
    """Our own copy of the agent: the program may have a module named highwater, of this version or another."""
    import types
    from importlib import import_module

    if "_highwater" not in sys.modules:
        ours = types.ModuleType("_highwater")
        ours.__path__ = [package]
        sys.modules["_highwater"] = ours
    return import_module("_highwater." + module)


def _begin():
    package, environ = _leave_path()
    wanted = environ.get("HIGHWATER_SOCKET") or environ.get("HIGHWATER_OUT")
    if sys.version_info >= (3, 8) and wanted:
        sys.meta_path.insert(0, _Wait(package))
        if environ.get("HIGHWATER_SIZES"):
            _load(package, "_sizes.moments").arm(_load(package, "_agent").agent)
        if environ.get("HIGHWATER_AGENT_ALWAYS"):
            # Something will be asked of programs that never import a framework: then somebody must listen. All that it takes
            # is loaded now, when nothing else happens, so that it is known how much of the process is ours.
            own = _load(package, "_own")
            with own.counted():
                for module in ("_agent", "_requests", "_heap.answer"):
                    _load(package, module)
            own.tell(_load(package, "_agent").agent)
        if environ.get("HIGHWATER_SOCKET") and sys.version_info >= (3, 8) and sys.implementation.name == "cpython":
            _Looks(package)


try:
    _begin()
except Exception:
    pass

# Whatever comes of this is what Python expects of a sitecustomize: a module in its place, an error of
# the program's own, or that there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401
