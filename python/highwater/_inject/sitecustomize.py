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


try:
    _begin()
except Exception:
    pass

# Whatever comes of this is what Python expects of a sitecustomize: a module in its place, an error of
# the program's own, or that there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401
