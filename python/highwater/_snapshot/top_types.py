"""Which types the objects of a heap have, and what they come to: tallied while the heap is written."""

from heapq import nlargest

from .._inside.objects import type_name

MOST_TYPES = 40


class TopTypes:
    def __init__(self):
        self._count = {}  # by the address of a type
        self._bytes = {}
        self.rows = []

    def add(self, types, sizes, head):
        """Side by side: addresses of types, sizes; ``head``: what each object has beside that."""
        count, total = self._count, self._bytes
        for kind, size in zip(types, sizes):
            count[kind] = count.get(kind, 0) + 1
            total[kind] = total.get(kind, 0) + size + head

    def end(self, kinds, storages):
        """``kinds``: types by their addresses."""
        names = {}  # a program that makes classes on the fly has several of one name
        for address, count in self._count.items():
            name = type_name(kinds[address]) if address in kinds else "?"
            known = names.setdefault(name, [0, 0])
            known[0] += count
            known[1] += self._bytes[address]
        for one in storages:
            if one.host:
                known = names.setdefault(one.kind, [0, 0])
                known[0] += 1
                known[1] += one.bytes
        largest = nlargest(MOST_TYPES, names.items(), key=lambda item: item[1][1])
        self.rows = [["type", name, "", "", count, 0, 0, size] for name, (count, size) in largest]
