"""Writes the heap of this process as columns, a piece at a time."""

import gc
import os
import sys
import types
from array import array
from itertools import compress

from .._whole import whole_objects
from .arrays import Storage
from .file import HeapFile
from .kinds import module_of, type_name
from .layouts import Layouts
from .non_python_memory import memory, non_python_memory
from .pointers import addresses
from .roots import own_modules
from .traversal import CLASS, CODE, DICT, DICT_CLASS, FLOAT, INTEGER, LEAF, LIST, PLAIN, TEXT, TUPLE
from .walk import Piece, Walk

_TAGS = {LEAF: b"LEAF", FLOAT: b"LEAF", LIST: b"LIST", TUPLE: b"LIST", DICT: b"DICT", DICT_CLASS: b"DICT"}
_MOST = 1 << 63
# Larger numbers are no keys that anybody would recognise, and the texts of huge ones take for ever.
_SMALL = 1 << 64
_NAMED = (types.FunctionType, types.ModuleType, types.BuiltinFunctionType)


def write_heap(path, roots, facts, isolated, tally=None):
    """The file is there under its name when it is whole. Returns what is in it. ``tally``: told of each type as it is written."""
    # Before the objects are listed: asking the system makes some, which would be missed in that list.
    found = memory(facts["pid"], isolated)
    ours = set()
    tracked = gc.get_objects() if isolated else whole_objects(ours)
    partial = "%s.%d.tmp" % (path, os.getpid())
    try:
        with open(partial, "wb", buffering=1 << 20) as file:
            summary = _write(HeapFile(file), Walk(tracked, roots, ours, isolated), facts, found, tally)
        os.replace(partial, path)
    except BaseException:
        try:
            os.unlink(partial)
        except OSError:
            pass
        raise
    return summary


def _write(file, walk, facts, found, tally):
    layouts = Layouts()
    python = 0
    for piece in walk.pieces():
        sizes, head = walk.sizes(piece)
        python += sum(sizes) + head * len(sizes)
        if tally is not None:
            tally.add(piece.types, sizes, head)
        if piece.sort == TEXT:
            file.strings(piece, sizes, head)
        elif piece.sort == INTEGER:
            _write_integers(file, piece, sizes, head)
        else:
            file.nodes(_TAGS.get(piece.sort, b"NODE"), piece, sizes, head)
            _write_names(file, piece)
        if piece.sort == PLAIN:
            layouts.learn(piece)
    storages = list(walk.arrays.storages.values())
    _write_storages(file, storages)
    file.block(b"MORE", (0, len(walk.extra_from)), addresses(walk.extra_from), _targets(walk.extra_to))
    file.block(b"OWN ", (0, len(walk.owners)), addresses(walk.owners), addresses(walk.dicts))
    file.texts(b"ROOT", [value for _, value in walk.roots], [name for name, _ in walk.roots])
    file.json(b"TYPE", [_described(address, kind, layouts) for address, kind in walk.rules.kinds.items()])
    if tally is not None:
        tally.end(walk.rules.kinds, storages)
    held = sum(one.bytes for one in storages if one.host)
    version = "CPython %s" % sys.version.split()[0]
    rest = {"rss": found.get("rss"), "beyond": non_python_memory(found, python, held)}
    # With their dicts, to which every function of theirs leads as well.
    own = [id(part) for one in own_modules() for part in (one, vars(one))]
    file.json(b"INFO", {"version": version, **facts, **rest, "own": own})
    file.end()
    return {"objects": file.objects + len(storages), "references": file.edges, "bytes": python + held}


def _described(address, kind, layouts):
    names = layouts.names.get(address)
    return [address, type_name(kind), module_of(kind), *((names,) if names else ())]


def _write_integers(file, piece, sizes, head):
    try:
        file.integers(piece, sizes, head, array("q", piece.objects))
    except OverflowError:
        fits = [-_MOST <= one < _MOST for one in piece.objects]
        for mask in (fits, [not fit for fit in fits]):
            some = Piece(INTEGER, list(compress(piece.objects, mask)), array("Q", compress(piece.types, mask)))
            bare = list(compress(sizes, mask))
            if mask is fits:
                file.integers(some, bare, head, array("q", some.objects))
            else:
                file.nodes(b"LEAF", some, bare, head)
                known = [one for one in some.objects if -_SMALL < one < _SMALL]
                file.texts(b"TEXT", known, map(repr, known))


def _write_names(file, piece):
    if piece.sort == CLASS:
        file.texts(b"TEXT", piece.objects, map(type_name, piece.objects))
    elif piece.sort == CODE:
        file.texts(b"TEXT", piece.objects, map(_name, piece.objects))
    elif piece.sort == PLAIN:
        for kind in _NAMED:
            found = _of_type(piece, kind)
            if found:
                file.texts(b"TEXT", found, map(_name, found))


def _of_type(piece, kind):
    if piece.types.tobytes().find(array("Q", [id(kind)]).tobytes()) < 0:
        return ()
    return list(compress(piece.objects, map(id(kind).__eq__, piece.types)))


def _name(one):
    if type(one) is types.ModuleType:
        name = vars(one).get("__name__")
    elif type(one) is types.BuiltinFunctionType and not _is_plain(one.__self__):
        name = one.__name__  # the qualified one is asked of its class
    else:
        name = getattr(one, "__qualname__", None) or getattr(one, "co_name", None)
    return name if type(name) is str else ""


def _is_plain(one):
    """Whether no metaclass of the program's answers for its class."""
    return type(one if issubclass(type(one), type) else type(one)) is type


def _write_storages(file, storages):
    kinds = sorted({one.kind for one in storages})
    numbers = {kind: number for number, kind in enumerate(kinds)}
    file.json(b"KIND", kinds)
    sizes = array("Q", [one.bytes for one in storages])
    which = array("I", [numbers[one.kind] for one in storages])
    file.block(b"DATA", (len(storages), 0), _targets(storages), sizes, which)


def _targets(objects):
    # An array's data may begin where some object does: the lowest bit, which neither address has, tells them apart.
    return array("Q", [one.address | 1 if type(one) is Storage else id(one) for one in objects])
