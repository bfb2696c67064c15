"""What holds an object, in words that the program's author knows: `list of 15 in losses of __main__`.

Found by Python's own references, a walk over all that its collector knows for each step up: asked for rarely.
"""

import _thread
import gc
import sys
import types

from ._whole import whole_referrers

STEPS = 4
_CONTAINERS = (dict, list, tuple, set)
# They refer to much, and name nothing.
_NAMELESS = (types.FrameType, types.FunctionType, types.ModuleType, types.MethodType, types.CellType)
_OPTIMIZED = 1  # of a code's flags: its variables are not a dict
# A function that asks for its own variables may keep the very dict that a look from outside would fill.
_LOOKS_AT_ITSELF = frozenset(("locals", "vars", "dir", "eval", "exec"))


def holders(values):
    """For each value what holds it, as far up as a name; empty where nothing is known."""
    # First, while no list of ours has anything of theirs in it; by id, as a tuple would be found as a holder.
    variables = {id(value): "%s in %s()" % (name, function) for function, name, value in running()}
    at = list(values)
    words = [[] for _ in at]
    found = []
    for _ in range(STEPS):
        living = [one for one in at if one is not None]
        if not living:
            break
        # Our own containers refer to them too.
        ours = {id(one) for one in (values, at, living, found)}
        found = [
            one
            for one in whole_referrers(living)
            if id(one) not in ours and type(one) not in _NAMELESS and not _is_same(one, living)
        ]
        at = [None if one is None else _step_up(one, found, variables, said) for one, said in zip(at, words)]
    return [" in ".join(said) for said in words]


def _step_up(value, found, variables, said):
    """What holds it, if that is to be followed; what is known of it goes into ``said``."""
    if type(value) is dict and _name_attribute(value, found, said):
        return None
    owners = [one for one in found if type(one) in _CONTAINERS and one is not value and _has(one, value)]
    if owners:
        owner = min(owners, key=len)
        name, last = _name_in(owner, value)
        said.append(name or "%s of %d" % (type(owner).__name__, len(owner)))
        return None if last else owner
    name = _attribute_of(value, found) or variables.get(id(value))
    if name:
        said.append(name)
    return None


def _name_attribute(attributes, found, said):
    """Of a dict that is an object's own: `losses` becomes `losses of Trainer`."""
    for one in found:
        if type(one) not in _CONTAINERS and said:
            if _is_class(one) and "__module__" in attributes:
                said[-1] += " of class %s" % one.__name__
                return True
            if _attributes(one) is attributes:
                said[-1] += " of %s" % type(one).__name__
                return True
    return False


def _attribute_of(value, found):
    """Objects keep their first attributes without a dict."""
    for one in found:
        if type(one) not in _CONTAINERS and not _is_class(one):
            attributes = _attributes(one)
            for name, held in list(attributes.items()) if type(attributes) is dict else ():
                if held is value and isinstance(name, str):
                    return "%s of %s" % (name, type(one).__name__)
    return None


def _is_class(one):
    # isinstance() would ask the object, which may answer with code of its own.
    return issubclass(type(one), type)


def _attributes(one):
    try:
        return object.__getattribute__(one, "__dict__")
    except Exception:
        return None


def _has(container, value):
    # Not by iterating: a list or tuple may have empty slots still.
    return any(one is value for one in (list(container.values()) if type(container) is dict else gc.get_referents(container)))


def _is_same(container, living):
    if type(container) is not tuple or len(container) != len(living):
        return False
    return {id(one) for one in gc.get_referents(container)} == {id(one) for one in living}


def _name_in(owner, value):
    """The name under which a dict has it, and whether that is all there is to say."""
    if type(owner) is dict:
        for name, one in list(owner.items()):
            if one is value and isinstance(name, str):
                module = owner.get("__name__") if "__builtins__" in owner else None
                return ("%s of %s" % (name, module), True) if isinstance(module, str) else (name, False)
    return None, False


def running():
    """(function, name, value) of the variables of all functions that run in this thread, ours left out."""
    frame = None if sys.gettrace() else sys._getframe(1)
    found = []
    while frame is not None:
        found += [(frame.f_code.co_name, name, value) for name, value in local_variables(frame)]
        frame = frame.f_back
    return found


def thread_frames():
    """What each thread runs, by its number: of this one alone where a look at others may crash the program."""
    # There the frame of a generator that another thread lets go is freed under whoever looks at it (python/cpython#125723).
    if (3, 13) <= sys.version_info < (3, 13, 6):
        return {_thread.get_ident(): sys._getframe(1)}
    return sys._current_frames()


def _is_ours(frame):
    package = frame.f_globals.get("__package__") or ""
    return isinstance(package, str) and (package + ".").startswith(__package__ + ".")


def local_variables(frame):
    """Pairs of name and value; none of ours, and none where a look could be noticed."""
    code = frame.f_code
    if _is_ours(frame) or not code.co_flags & _OPTIMIZED:
        return ()
    if sys.version_info >= (3, 13):
        return list(frame.f_locals.items())
    if not _LOOKS_AT_ITSELF.isdisjoint(code.co_names):
        return ()
    # Until 3.12 the frame keeps the dict that it makes, and with it everything in there: emptied at once,
    # unless somebody else has it too.
    variables = frame.f_locals
    pairs = list(variables.items())
    if sys.getrefcount(variables) <= 3:
        variables.clear()
    return pairs
