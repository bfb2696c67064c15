"""The package from beside these tests, without what some of them need more (needs.py)."""

import pathlib
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))
