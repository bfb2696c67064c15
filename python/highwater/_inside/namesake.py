"""PyPI has a package named highwater that is another project's. A program that imports that one makes no marks, and is told so."""

import sys

from .._agent import agent


def arm(module):
    if "highwater._agent" in sys.modules:
        return  # ours, of this version or another
    place = getattr(module, "__file__", None) or "no file"
    text = "`import highwater` gave the program another project's package (%s), not Highwater's agent: marks through it are not recorded" % place
    agent.send({"type": "warning", "text": text})
