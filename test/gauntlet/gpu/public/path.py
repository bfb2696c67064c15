"""Prints a PYTHONPATH of the packages under site/ that this Python lacks, or has in another version of those a program names.

    PYTHONPATH=$(python3 test/gauntlet/gpu/public/path.py site) ...
"""

import importlib.metadata
import pathlib
import sys


def is_there(pin):
    name, _, _ = pin.partition("==")
    try:
        return importlib.metadata.version(name) is not None
    except importlib.metadata.PackageNotFoundError:
        return False


folders = [path for path in sorted(pathlib.Path(sys.argv[1]).resolve().iterdir()) if not is_there(path.name)]
print(":".join(str(path) for path in folders))
