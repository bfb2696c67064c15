"""Where IPython keeps what nobody asked it to keep: the cache of outputs, and the last error with all its variables.

Nothing here imports IPython: only a shell that is there already is asked.
"""

import sys

from ._frames import local_variables

ERROR_NAMES = ("last_type", "last_value", "last_traceback", "last_exc")
_LAST = ("_", "__", "___")
# Errors that led to one another.
MOST_CHAINED = 20


def current_shell():
    """The shell of this process, or None."""
    module = sys.modules.get("IPython.core.getipython")
    try:
        return module.get_ipython() if module is not None else None
    except Exception:
        return None


def outputs(shell):
    """The dict behind `Out`; None where it is not kept."""
    found = shell.user_ns.get("_oh")
    return found if isinstance(found, dict) else None


def output_names(shell):
    """(name, value) of each: `Out[3]`, `_3`, `_`."""
    cache = outputs(shell) or {}
    names = [("Out[%s]" % number, value) for number, value in list(cache.items())]
    values = {id(value) for _, value in names}
    for name in _LAST:
        if name in shell.user_ns:
            # A user's own `_` is a variable like any other.
            value = shell.user_ns[name]
            if id(value) in values or value is getattr(shell.displayhook, name, None):
                names.append((name, value))
    for number in list(cache):
        name = "_%s" % number
        if name in shell.user_ns and shell.user_ns[name] is cache.get(number):
            names.append((name, cache[number]))
    return names


def keepers(shell):
    """The objects in which IPython and Python keep outputs and the last error, with the dicts of their attributes."""
    owners = [getattr(shell, name, None) for name in ("displayhook", "InteractiveTB", "last_execution_result")]
    found = [shell.user_ns, shell.user_ns_hidden, vars(sys), outputs(shell), *owners, *(getattr(one, "__dict__", None) for one in owners)]
    return [one for one in found if one is not None]


def forget_error(shell):
    """Lets go of the last error: Python's and IPython's places of it."""
    for name in ERROR_NAMES:
        if hasattr(sys, name):
            setattr(sys, name, None)
    formatter = getattr(shell, "InteractiveTB", None)
    if getattr(formatter, "tb", None) is not None:
        formatter.tb = None
    result = getattr(shell, "last_execution_result", None)
    for name in ("error_in_exec", "error_before_exec"):
        if getattr(result, name, None) is not None:
            setattr(result, name, None)


def forget_outputs(shell):
    """Empties `Out`, as `%reset -f out` does, and what IPython keeps of it beside that."""
    names = [name for name, _ in output_names(shell)]
    if shell.displayhook.do_full_cache:
        shell.displayhook.flush()
    for name in names:
        shell.user_ns_hidden.pop(name, None)  # which not every version does
    for name in _LAST:
        shell.user_ns_hidden[name] = shell.user_ns.get(name, "")
    result = getattr(shell, "last_execution_result", None)
    if result is not None:
        result.result = None


def failed_variables(error):
    """(function, name, value) of the functions that an error came through; variables of the cell itself are the notebook's."""
    frames = {}
    for one in _chain(error):
        traceback = one.__traceback__
        while traceback is not None:
            frames[id(traceback.tb_frame)] = traceback.tb_frame
            traceback = traceback.tb_next
    return [(frame.f_code.co_name, name, value) for frame in frames.values() for name, value in local_variables(frame)]


def last_error():
    """The one that was last shown; None where there was none."""
    found = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None


def _chain(error):
    found = []
    waiting = [error]
    while waiting and len(found) < MOST_CHAINED:
        one = waiting.pop(0)
        if isinstance(one, BaseException) and not any(one is other for other in found):
            found.append(one)
            waiting += [one.__cause__, one.__context__]
            waiting += list(getattr(one, "exceptions", ()) or ())
    return found
