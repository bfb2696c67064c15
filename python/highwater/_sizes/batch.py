"""memuse_batch: one script with one set of parameters, sized at several of its times (docs/sizes.md)."""

import __main__ as main_module
import os
import sys
import traceback

from .account import account
from .words import accounting, one_line


def memuse_batch(script_file, times=(0,), analysis_fn=None, run=None, **params):
    """Sets ``params`` in ``__main__``, runs the script there, then at each of ``times`` prints the sizes.

    The simulation is taken to a time by ``run(t)``: the argument, else a function of that name that the script
    defines; without one only time 0 is allowed. ``analysis_fn(prefix)`` is called in place of the default, which
    prints ``allsizes_mb()`` behind the prefix. A failure is reported and the batch goes on: True where all went
    well, else False.
    """
    try:
        _check(script_file, times)
        space = vars(main_module)
        _set(space, params)
        _warn_unused(params, _execute(script_file, space))
        for time in times:
            _advance(time, run or space.get("run"))
            (analysis_fn or _print_sizes)(_prefix(script_file, params, time))
        return True
    except Exception:
        sys.stdout.flush()
        traceback.print_exc(file=sys.stdout)
        print("Warning -- Error detected: execution halted.", file=sys.stderr)
        return False


def _check(script_file, times):
    if not os.path.isfile(script_file):
        raise FileNotFoundError("no script %r" % (script_file,))
    last = None
    for time in times:
        if isinstance(time, bool) or not isinstance(time, (int, float)) or time < 0:
            raise ValueError("times must be numbers of 0 or more, got %r" % (time,))
        if last is not None and time < last:
            raise ValueError("times must not go backward: %r after %r" % (time, last))
        last = time


def _set(space, params):
    for name, value in params.items():
        if name in space:
            print("Warning -- Replaced %s=%r; was %r" % (name, value, space[name]), file=sys.stderr)
        space[name] = value


def _execute(script_file, space):
    """Runs a script in ``space``; the names that it asks for."""
    with open(script_file, "rb") as file:
        source = file.read()
    code = compile(source, script_file, "exec")
    before, space["__file__"] = space.get("__file__"), script_file
    folder = os.path.dirname(os.path.abspath(script_file))
    sys.path.insert(0, folder)
    try:
        exec(code, space)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError("the script ended itself with %r" % (end.code,))
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        if before is None:
            space.pop("__file__", None)
        else:
            space["__file__"] = before
    return _names(code)


def _names(code):
    """All names that a piece of code asks for, those of its functions and those that it has as texts included."""
    found = set(code.co_names)
    for part in code.co_consts:
        if hasattr(part, "co_names"):
            found |= _names(part)
        elif isinstance(part, str):
            found.add(part)  # globals().get("density", 10)
    return found


def _warn_unused(params, names):
    for name in sorted(set(params) - names):
        print("Warning -- Parameter %s is not used by the script." % name, file=sys.stderr)


def _advance(time, run):
    if time == 0:
        return
    if not callable(run):
        raise ValueError("time %s needs run(t): give it to memuse_batch, or define it in the script" % time)
    run(time)


def _prefix(script_file, params, time):
    """``tiny,cortex_density=20: t000000.00: ``"""
    name = os.path.splitext(os.path.basename(script_file))[0]
    words = [name] + ["%s=%s" % (key, _word(value)) for key, value in params.items()]
    return "%s: t%09.2f: " % (",".join(words), time)


def _word(value):
    return "_".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _print_sizes(prefix):
    sizes = account()
    print(prefix + one_line(sizes))
    for line in accounting(sizes):
        print("  " + line)
