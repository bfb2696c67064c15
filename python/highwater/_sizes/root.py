"""What is sized where nothing is named: the models of the program, else the variables of its main module."""

import sys

from .._model import find_model, outermost
from .._frames import local_variables, thread_frames
from .._threads import main_ident
from .._whole import whole_objects
from .walk import CODE


def default_roots():
    """(objects, what to call them)"""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "nn"):
        models = _modules(torch)
        if models:
            names = " and ".join(dict.fromkeys(type(model).__name__ for model in models[:4]))
            return models + _optimizers(torch), names
    return _main_variables(), "the program's variables"


def _modules(torch):
    """The module that is trained; without an optimizer, those that are no part of another."""
    trained = find_model(torch)
    if trained is not None:
        return [trained]
    base = torch.nn.Module
    return outermost([one for one in whole_objects() if issubclass(type(one), base)])


def _optimizers(torch):
    base = getattr(getattr(torch, "optim", None), "Optimizer", None)
    return [] if base is None else [one for one in whole_objects() if issubclass(type(one), base)]


def _main_variables():
    """Those of the main module, one by one, and of the functions that its thread runs."""
    main = sys.modules.get("__main__")
    found = [value for name, value in list(vars(main).items()) if not name.startswith("__")]
    frame = None if sys.gettrace() else thread_frames().get(main_ident())
    while frame is not None:
        found += [value for _, value in local_variables(frame)]
        frame = frame.f_back
    return [value for value in found if not issubclass(type(value), CODE)]
