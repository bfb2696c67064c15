"""What a function holds, in words: a variable of its closure, a default argument, an attribute, a cache of its results."""

import functools
import types

from ._frames import local_variables
from ._places import place_of
from ._whole import instances

LRU_CACHE = type(functools.lru_cache(lambda: None))
FRAME_OF = {types.GeneratorType: "gi_frame", types.CoroutineType: "cr_frame", types.AsyncGeneratorType: "ag_frame"}

FUNCTION_LIKE = (types.FunctionType, types.CellType, types.FrameType, LRU_CACHE, *FRAME_OF)


def name_by_function(value, below, holders, said):
    """Says in ``said`` which function among ``holders`` has ``value``, in which ``below`` is."""
    for one in holders:
        kind = type(one)
        if kind is types.FunctionType:
            default = default_of(one, value, below) if said else None
            if default:
                said[-1] = default  # in place of the tuple of all of them
            if default or (said and _is_part(one, value)):
                said[-1] += " of function %s" % placed(one)
                return
        elif kind is LRU_CACHE and type(value) is dict:
            function = object.__getattribute__(one, "__dict__").get("__wrapped__")
            if type(function) is types.FunctionType:
                said.append("lru_cache of function %s" % placed(function))
                return
        elif kind in FRAME_OF or kind is types.FrameType:
            # Until 3.10 it is the frame of a generator that has its variables.
            frame = one if kind is types.FrameType else getattr(one, FRAME_OF[kind])
            for name, held in local_variables(frame) if frame is not None else ():
                if held is value:
                    said.append("%s in %s()" % (name, frame.f_code.co_name))
                    return
    cells = [one for one in holders if type(one) is types.CellType]
    if cells:
        _name_in_closure(cells, said)


def default_of(function, value, below):
    if value is not function.__defaults__ or type(value) is not tuple:
        return None
    code = function.__code__
    names = code.co_varnames[: code.co_argcount][-len(value) :]
    return next((name for name, one in zip(names, value) if one is below), None)


def _is_part(function, value):
    # Asked for its attributes a function makes a dict for them: only one that has this dict is asked.
    return type(value) is dict and (value is function.__kwdefaults__ or value is function.__dict__)


def _name_in_closure(cells, said):
    wanted = set(map(id, cells))
    for function in instances((types.FunctionType,)):
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if id(cell) in wanted:
                said.append("%s of closure %s" % (name, placed(function)))
                return


def placed(function):
    code = function.__code__
    return "%s at %s" % (function.__qualname__, place_of(code, code.co_firstlineno))
