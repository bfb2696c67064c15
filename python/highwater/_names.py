"""What holds an object, in words that the program's author knows: `list of 15 in losses of __main__`.

Found by Python's own references, a walk over all that its collector knows for each step up: asked for rarely.
"""

import gc
import types

from ._frames import running
from ._function_names import FUNCTION_LIKE, name_by_function
from ._inside.reachable import base_of
from ._ipython import current_shell, failed_variables, last_error, output_names
from ._type_facts import HEAP_TYPE, flags_of, mro_of, namespace_of
from ._whole import whole_referrers

STEPS = 5
# They refer to much, and name nothing.
_NAMELESS = (types.FrameType, types.FunctionType, types.ModuleType, types.MethodType, types.CellType)


def holders(values):
    """For each value what holds it, as far up as a name; empty where nothing is known."""
    # First, while no list of ours has anything of theirs in it; by id, as a tuple would be found as a holder.
    variables = {id(value): "%s in %s(), kept by sys.last_traceback" % (name, function) for function, name, value in _failed()}
    variables.update({id(value): "%s in %s()" % (name, function) for function, name, value in running()})
    at = list(values)
    words = [[] for _ in at]
    below = [None for _ in at]
    found = nameless = []
    for _ in range(STEPS):
        living = [one for one in at if one is not None]
        if not living:
            break
        # Our own containers refer to them too.
        ours = {id(one) for one in (values, at, below, living, found, nameless)}
        found = [one for one in whole_referrers(living) if id(one) not in ours and not _is_same(one, living)]
        nameless = [one for one in found if type(one) in _NAMELESS]
        found = [one for one in found if type(one) not in _NAMELESS]
        above = [
            None if one is None else _step_up(one, under, found, nameless, variables, said)
            for one, under, said in zip(at, below, words)
        ]
        below, at = at, above
        del above
    return [" in ".join(said) for said in words]


def _step_up(value, below, found, nameless, variables, said):
    """What holds it, if that is to be followed; what is known of it goes into ``said``."""
    if type(value) is dict and _name_attribute(value, found, said):
        return None
    owners = [one for one in found if _is_container(one) and one is not value and _has(one, value)]
    output = _output(value) if owners else None
    if output:
        said.append(output)
        return None
    if owners:
        owner = min(owners, key=_length)
        name, last = name_in(owner, value)
        said.append(name or "%s of %d" % (_name_of(type(owner)), _length(owner)))
        return None if last else owner
    name = attribute_of(value, found) or variables.get(id(value))
    if name:
        said.append(name)
    else:
        name_by_function(value, below, _refers(nameless + found, value), said)
    return None


_OF_FUNCTIONS = frozenset(map(id, FUNCTION_LIKE))


def _refers(holders, value):
    """Those of functions' kinds that have it: several values are looked for at once."""
    return [
        one for one in holders if id(type(one)) in _OF_FUNCTIONS and any(held is value for held in gc.get_referents(one))
    ]


def _name_attribute(attributes, found, said):
    """Of a dict that is an object's own: `losses` becomes `losses of Trainer`."""
    for one in found:
        if not _is_container(one) and said:
            if _is_class(one) and "__module__" in attributes:
                said[-1] += " of class %s" % one.__name__
                return True
            if attributes_of(one) is attributes:
                said[-1] += " of %s" % type(one).__name__
                return True
    return False


def attribute_of(value, found):
    """Objects keep their first attributes without a dict."""
    for one in found:
        if not _is_container(one) and not _is_class(one):
            attributes = attributes_of(one)
            for name, held in list(attributes.items()) if type(attributes) is dict else ():
                if held is value and isinstance(name, str):
                    return "%s of %s" % (name, type(one).__name__)
            slot = _slot_of(one, value)
            if slot:
                return "%s of %s" % (slot, type(one).__name__)
    return None


def _slot_of(one, value):
    for kind in mro_of(type(one)):
        if flags_of(kind) & HEAP_TYPE:
            for name, slot in list(namespace_of(kind).items()):
                if type(slot) is types.MemberDescriptorType and _read(slot, one) is value:
                    return name
    return None


def _read(slot, one):
    try:
        return slot.__get__(one)
    except AttributeError:
        return None  # not set


def _is_class(one):
    # isinstance() would ask the object, which may answer with code of its own.
    return issubclass(type(one), type)


def attributes_of(one):
    try:
        return object.__getattribute__(one, "__dict__")
    except Exception:
        return None


_name_of = type.__dict__["__name__"].__get__


def _is_container(one):
    """A dict, list, tuple, set or deque, or what a class has made of one."""
    return type(one) is tuple or base_of(type(one)) is not None


def _length(container):
    return (tuple if type(container) is tuple else base_of(type(container))).__len__(container)


def _has(container, value):
    # Not by iterating: a list or tuple may have empty slots still.
    entries = list(dict.values(container)) if base_of(type(container)) is dict else gc.get_referents(container)
    return any(one is value for one in entries)


def _is_same(container, living):
    if type(container) is not tuple or len(container) != len(living):
        return False
    return {id(one) for one in gc.get_referents(container)} == {id(one) for one in living}


def name_in(owner, value):
    """The name under which a dict has it, and whether that is all there is to say."""
    if type(owner) is dict:
        for name, one in list(owner.items()):
            if one is value and isinstance(name, str):
                module = owner.get("__name__") if "__builtins__" in owner else None
                return ("%s of %s" % (name, module), True) if isinstance(module, str) else (name, False)
    return None, False


def _failed():
    """The variables of functions that ended in an error which a prompt or a notebook keeps."""
    try:
        return failed_variables(last_error())
    except Exception:
        return ()


def _output(value):
    """`Out[3]` where a notebook's cache of outputs holds it; by the user's own name for it where there is one."""
    shell = current_shell()
    names = [name for name, one in output_names(shell) if one is value] if shell is not None else ()
    if not names:
        return None
    own = (name for name, one in list(shell.user_ns.items()) if one is value and name not in names)
    return next(("%s of __main__" % name for name in own), names[0])
