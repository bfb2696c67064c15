"""What a test needs. Where it is absent the test skips and says so; with HIGHWATER_NO_SKIP=1 it fails."""

import io
import os
import subprocess
import sys
import textwrap
import unittest

from beside import PACKAGE  # noqa: F401

try:
    import torch
except ImportError:
    torch = None


def run(script, python=sys.executable, cwd=None, **env):
    """Runs a program that uses the package: exit code, output, errors."""
    done = subprocess.run(
        [python, "-c", textwrap.dedent(script)],
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
    )
    return done.returncode, done.stdout, done.stderr


def environment(**env):
    """Of a program that uses the package, and is no part of how the tests were started."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("HIGHWATER_") and k != "RANK"}
    return {**kept, "PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", **env}


needs_torch = unittest.skipIf(torch is None, "needs torch")
needs_cuda = unittest.skipUnless(torch is not None and torch.cuda.is_available(), "needs a GPU")


def quiet():
    """Where a table goes that nobody reads."""
    return io.StringIO()
