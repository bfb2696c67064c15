"""Makes a heap of a few million objects, then takes it with guppy3 (`guppy`) or writes it to a file (`dump`)."""

import json
import os
import sys
import time


class Node:
    def __init__(self, number):
        self.name = "node %d" % number
        self.value = float(number)
        self.links = [number, number + 1]
        self.extra = {"k": number} if number % 4 == 0 else None


class Slot:
    __slots__ = ("a", "b")

    def __init__(self, number):
        self.a = number
        self.b = (number, str(number))


def build(count):
    nodes = [Node(number) for number in range(count)]
    slots = [Slot(number) for number in range(count)]
    return nodes, slots, {("k", number): number * 1.5 for number in range(count)}


def guppy():
    from guppy import hpy

    session = hpy()
    began = time.perf_counter()
    found = session.heap()
    text = str(found)
    seconds = time.perf_counter() - began
    counts = {}
    for row in found.stat.get_rows():
        counts[row.name] = counts.get(row.name, 0) + row.count
    return {"seconds": seconds, "objects": found.count, "lines": len(text.splitlines()), "counts": counts}


def dump(path):
    from highwater import heap

    began = time.perf_counter()
    figures = heap.dump(path).wait()
    return {"seconds": time.perf_counter() - began, **figures, "megabytes": os.path.getsize(path) / 1e6}


if __name__ == "__main__":
    what, count = sys.argv[1], int(sys.argv[2])
    kept = build(count)
    print(json.dumps(guppy() if what == "guppy" else dump(sys.argv[3])))
