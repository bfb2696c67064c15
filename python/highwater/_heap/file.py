"""The file of a heap, to the byte in docs/python-heap.md: blocks of columns, each with its length and checksum."""

import json
import struct
import sys
from array import array
from binascii import crc32
from itertools import repeat
from operator import itemgetter

MAGIC = b"HWHEAP\r\n"
VERSION = 1
# Texts are names to be recognised by, not data.
MOST_TEXT = 60
_head = itemgetter(slice(0, MOST_TEXT))
# Made here: struct.pack would make and keep them while the objects are gone through.
_HEAD = struct.Struct("<II").pack
_COUNTS = struct.Struct("<QQ").pack
_BLOCK = struct.Struct("<IQ").pack


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

    def nodes(self, tag, piece, sizes):
        """Objects with what they refer to, in order."""
        objects, targets = piece.objects, piece.targets
        counts = (len(objects), len(targets or ()))
        columns = [addresses(objects), piece.types, array("Q", sizes)]
        if piece.degrees is not None:
            columns.append(piece.degrees)
            if piece.keys is not None:
                columns.append(addresses(piece.keys))
            columns.append(addresses(targets))
        self.objects += counts[0]
        self.edges += counts[1]
        self.block(tag, counts, *columns)

    def texts(self, tag, objects, words):
        """What objects are to be recognised by, for those that were written before."""
        parts = list(map(str.encode, map(_head, words), repeat("utf-8"), repeat("surrogatepass")))
        self.block(tag, (len(objects), sum(map(len, parts))), addresses(objects), array("I", map(len, parts)), b"".join(parts))

    def json(self, tag, value):
        text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
        self.block(tag, (0, len(text)), text)

    def end(self):
        self.block(b"END ", (self.objects, self.edges))


def addresses(objects):
    return array("Q", map(id, objects))


def _bytes(column):
    if isinstance(column, bytes):
        return column
    if sys.byteorder != "little":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()
