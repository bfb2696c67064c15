"""What a code object refers to: the collector does not look into them."""

import sys

_FIELDS = (
    "co_consts",
    "co_names",
    "co_filename",
    "co_name",
    "co_qualname",
    "co_linetable",
    "co_exceptiontable",
    # From 3.11 on the bytes of the code are made when they are asked for, and then kept.
    *(("co_code",) if sys.version_info < (3, 11) else ()),
)
# Tuples that are made anew each time they are asked for, of names that are not.
_NAMES = ("co_varnames", "co_cellvars", "co_freevars")


def _lasting():
    code = _lasting.__code__
    found = []
    for name in _FIELDS:
        if hasattr(code, name) and getattr(code, name) is getattr(code, name):
            found.append(name)
    return tuple(found)


_KEPT = _lasting()


def code_parts(code):
    held = [getattr(code, name) for name in _KEPT]
    for name in _NAMES:
        held.extend(getattr(code, name))
    return held
