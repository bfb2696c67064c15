"""Highwater's agent: tells a recorder what cannot be seen from outside.

Standard library only. Under ``highwater record`` the functions below send marks to the recorder;
without one they do nothing (or write to ``HIGHWATER_OUT``). They never raise and never block.
"""

from ._marks import epoch, iteration, mark, phase

__all__ = ["epoch", "iteration", "mark", "phase"]
__version__ = "0.1.0"
