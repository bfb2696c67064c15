"""The engine in a process of its own: this one takes the requests, sends them over, and counts the answers."""

import multiprocessing

import core
from log import say
from titles import set_title
from traffic import requests


def run(options):
    set_title("%s::APIServer" % options.title)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_core, args=(options, theirs), name="EngineCore")
    child.start()
    theirs.close()
    answered = 0
    try:
        for request in requests(options):
            ours.send(request)
            answered += _answers(ours)
        ours.send(None)
        while answered < options.requests:
            ours.recv()
            answered += 1
    except (EOFError, BrokenPipeError, ConnectionResetError):
        child.join()
        raise SystemExit("engine: the core ended with %s after %d of %d answers" % (child.exitcode, answered, options.requests))
    child.join()
    say("front: %d answers" % answered)
    return child.exitcode


def _answers(pipe):
    """How many there are by now."""
    count = 0
    while pipe.poll():
        pipe.recv()
        count += 1
    return count


def _core(options, pipe):
    set_title("%s::EngineCore" % options.title)
    try:
        core.run(options, iter(pipe.recv, None), lambda request: pipe.send(request.number))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise SystemExit("engine: the front is gone, and the core ends")
