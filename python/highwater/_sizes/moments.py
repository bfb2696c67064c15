"""Sizes at a moment that was named before the program began: HIGHWATER_SIZES is ``exit`` or ``iteration=5``."""

import atexit
import os
import sys
import time


def arm(agent):
    """Called once in a process by the injection, and by each agent that begins to speak."""
    wanted = os.environ.get("HIGHWATER_SIZES", "")
    name, _, number = wanted.partition("=")
    if name == "iteration" and number.isdigit():
        agent.moment = _at_iteration(agent, int(number))
    elif wanted == "exit" and not _armed():
        # After the agent's own was registered, so that this one is called first.
        atexit.register(_tell, agent, "exit")


def _armed():
    """Once a process, though the package may be there twice: the program's own and the injected one."""
    before = getattr(sys, "_highwater_sizes", None)
    sys._highwater_sizes = os.getpid()
    return before == os.getpid()


def _at_iteration(agent, number):
    def moment(message):
        if message["type"] != "mark" or message["kind"] not in ("iteration", "step"):
            return
        reached = message["iteration"]
        # Steps may be told thinned: the first that is told from there on.
        if reached is not None and reached >= number:
            agent.moment = None
            _tell(agent, "iteration %d" % reached)

    return moment


def _tell(agent, at):
    try:
        from .answer import answer

        now = time.monotonic_ns()
        agent.send({"type": "sizes", "time": now, "at": at, "value": answer({})})
    except Exception as error:
        agent.send({"type": "warning", "text": "sizes at %s: %s: %s" % (at, type(error).__name__, error)})
