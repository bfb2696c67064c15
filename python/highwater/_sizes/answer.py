"""The answer to a request for sizes: the accounting, less what the one who asked can find out without this process."""

from .account import account
from .process import imports


def answer(options):
    """Whoever asked measures what imports take in a process of its own: one of ours would be part of the recording."""
    return told()


def told(process=None):
    """``process``: what `resident` said in the program, for a fork of it."""
    return dict(account(baseline=False, process=process), imports=imports())
