"""Prints a PYTHONPATH of the packages under site/ that this Python lacks; what it has is used as it is.

    PYTHONPATH=$(python3 test/gauntlet/gpu/public/path.py site) ...
"""

import importlib.metadata
import pathlib
import sys


def is_there(pin):
    try:
        importlib.metadata.version(pin.partition("==")[0])
        return True
    except importlib.metadata.PackageNotFoundError:
        return False


folders = [path for path in sorted(pathlib.Path(sys.argv[1]).resolve().iterdir()) if not is_there(path.name)]
print(":".join(str(path) for path in folders))
