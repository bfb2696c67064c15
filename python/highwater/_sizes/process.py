"""The process as the system sees it, and what importing its libraries alone takes."""

import json
import os
import sys

from .._gauges import mallinfo

_SECONDS = 120
_measured = {}
_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "imports.py")


def resident():
    """{"pid"}, and {"rss", "anon", "file", "shmem"} in bytes where the system tells."""
    names = {"VmRSS": "rss", "RssAnon": "anon", "RssFile": "file", "RssShmem": "shmem"}
    found = {"pid": os.getpid()}
    try:
        with open("/proc/self/status") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name in names:
                    found[names[name]] = int(value.split()[0]) * 1024
    except (OSError, ValueError):
        pass
    return found


def malloc_free():
    """Bytes that glibc keeps and nobody uses; None with another allocator."""
    return None if mallinfo is None else mallinfo().fordblks


def libraries():
    """Names of the modules that were loaded from where Python and its packages are installed, in their order."""
    homes = tuple(os.path.realpath(home) + os.sep for home in {sys.prefix, sys.base_prefix, sys.exec_prefix})
    found = []
    for name, module in list(sys.modules.items()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        ours = name.split(".")[0] in ("highwater", "_highwater", "__main__", "sitecustomize")
        if isinstance(origin, str) and not ours and _installed(origin, homes):
            found.append(name)
    return found


def _installed(origin, homes):
    return "site-packages" in origin or "dist-packages" in origin or os.path.realpath(origin).startswith(homes)


def imports():
    """What a fresh Python needs to import the same: {"executable", "path", "modules"}."""
    return {"executable": sys.executable or "", "path": list(sys.path), "modules": libraries()}


def import_bytes():
    """Anonymous memory of a fresh Python that has imported the same libraries; None where it cannot be had."""
    told = imports()
    key = tuple(told["modules"])
    if key not in _measured:
        _measured[key] = _fresh(told)
    return _measured[key]


def _fresh(told):
    if not told["executable"] or not os.path.exists("/proc/self/status"):
        return None
    env = {name: value for name, value in os.environ.items() if not name.startswith("HIGHWATER_")}
    env.pop("PYTHONPATH", None)  # sys.path has it all, and our own way in is not wanted here
    try:
        import subprocess  # loads `threading`, which is not ours to load where somebody attached

        done = subprocess.run(
            [told["executable"], _PROGRAM],
            input=json.dumps(told),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
            env=env,
            timeout=_SECONDS,
        )
        return int(done.stdout.split()[-1])
    except Exception:
        return None
