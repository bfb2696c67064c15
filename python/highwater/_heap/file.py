"""The file of a heap, to the byte in docs/python-heap.md: blocks of columns, each with its length and checksum."""

import json
import struct
import sys
from array import array
from binascii import crc32
from itertools import repeat
from operator import itemgetter

from .pointers import addresses
from .traversal import ONE_TYPE

MAGIC = b"HWHEAP\r\n"
VERSION = 2
# Texts are names to be recognised by, not data.
MOST_TEXT = 60
_head = itemgetter(slice(0, MOST_TEXT))
# Made here: struct.pack would make and keep them while the objects are gone through.
_HEAD = struct.Struct("<II").pack
_COUNTS = struct.Struct("<QQ").pack
_BLOCK = struct.Struct("<IQ").pack
_COMMON = struct.Struct("<QII").pack


class HeapFile:
    def __init__(self, file):
        self._file = file
        self.objects = 0
        self.edges = 0
        file.write(MAGIC + _HEAD(VERSION, 0))

    def block(self, tag, counts, *columns):
        """``counts``: how many objects, and how many references; columns are arrays or bytes."""
        payload = [_COUNTS(*counts), *(_bytes(column) for column in columns)]
        checksum = 0
        for part in payload:
            checksum = crc32(part, checksum)
        self._file.write(tag + _BLOCK(checksum, sum(len(part) for part in payload)))
        for part in payload:
            self._file.write(part)

    def nodes(self, tag, piece, sizes, head):
        """Objects with what they refer to, in order."""
        columns = []
        if piece.degrees is not None:
            columns.append(piece.degrees)
            if piece.keys is not None:
                columns.append(addresses(piece.keys))
            columns.append(addresses(piece.targets))
        self.edges += len(piece.targets or ())
        self._objects(tag, piece, sizes, head, len(piece.targets or ()), *columns)

    def strings(self, piece, sizes, head):
        """Texts with their beginnings."""
        lengths, text = _texts(piece.objects)
        self._objects(b"STR ", piece, sizes, head, len(text), lengths, text)

    def integers(self, piece, sizes, head, values):
        self._objects(b"INT ", piece, sizes, head, 0, values)

    def _objects(self, tag, piece, sizes, head, more, *columns):
        """What all objects have first: their type, once where it is the same, and their sizes less ``head``."""
        one = ONE_TYPE.get(piece.sort)
        try:
            bare = array("I", sizes)
        except OverflowError:
            bare = array("Q", sizes)
        common = _COMMON(0 if one is None else id(one), head, bare.itemsize)
        types = piece.types if one is None else b""
        self.objects += len(piece.objects)
        self.block(tag, (len(piece.objects), more), common, addresses(piece.objects), types, bare, *columns)

    def texts(self, tag, objects, words):
        """What objects are to be recognised by, for those that were written before."""
        lengths, text = _texts(list(words))
        self.block(tag, (len(objects), len(text)), addresses(objects), lengths, text)

    def json(self, tag, value):
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
        self.block(tag, (0, len(text)), text)

    def end(self):
        self.block(b"END ", (self.objects, self.edges))


def _texts(strings):
    """(Their lengths, all their beginnings one after the other), in bytes."""
    lengths = array("I", map(len, strings))
    if lengths and max(lengths) > MOST_TEXT:
        strings = list(map(_head, strings))
        lengths = array("I", map(len, strings))
    text = "".join(strings)
    if text.isascii():
        return lengths, text.encode()
    parts = list(map(str.encode, strings, repeat("utf-8"), repeat("surrogatepass")))
    return array("I", map(len, parts)), b"".join(parts)


def _bytes(column):
    if isinstance(column, bytes):
        return column
    if sys.byteorder != "little":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()
