"""Tensors that become more as a program serves, by who holds them."""

import unittest
from collections import OrderedDict

from needs import needs_torch, torch

from highwater._inside.caches import Caches

KIB = 1 << 10
MANY = 300  # more than a walk looks into one by one


class Session:
    def __init__(self, engine, size):
        self.engine = engine  # leads back to all there is
        self.layers = [(torch.zeros(size // 8), torch.zeros(size // 8)) for _ in range(1)]


class Engine:
    def __init__(self):
        self.pool = torch.zeros(1 << 20)
        self.sessions = OrderedDict()
        self.past = torch.zeros(1)
        self.registry = {"sessions": self.sessions}

    def serve(self, number, size=64 * KIB):
        self.sessions[number] = Session(self, size)


ENGINE = None


def looks(*changes):
    """Rows of the last look, each time with what was done before."""
    caches, rows = Caches(), []
    for second, change in enumerate(((lambda: None), *changes)):
        change()
        rows = [row for row in caches.survey(second * 10**9) if not row[3].startswith("tensor")]
    return rows


@needs_torch
class CachesTest(unittest.TestCase):
    def setUp(self):
        global ENGINE
        ENGINE = Engine()

    def serve(self, begin, end):
        for number in range(begin, end):
            ENGINE.serve(number)

    def test_names_the_container_with_all_of_its_tensors(self):
        [row] = looks(lambda: self.serve(0, 10), lambda: self.serve(10, 30))
        kind, container, device, holder, entries, gained, seconds, size = row
        self.assertEqual((kind, container, device, entries, gained), ("cache", "OrderedDict", "cpu", 30, 20))
        self.assertIn("sessions of Engine", holder)
        self.assertEqual((size, seconds), (30 * 64 * KIB, 1))

    def test_counts_many_to_the_byte_though_a_walk_sees_few_of_them(self):
        [row] = looks(lambda: self.serve(0, 100), lambda: self.serve(100, 100 + MANY))
        self.assertEqual(row[7], (100 + MANY) * 64 * KIB)

    def test_says_nothing_of_what_stays_as_large_as_it_is(self):
        def turn():
            for number in range(20):
                ENGINE.sessions.pop(next(iter(ENGINE.sessions)))
                ENGINE.serve(1000 + number)

        self.assertEqual(looks(lambda: self.serve(0, 40), turn, turn), [])

    def test_tells_on_what_has_stopped_and_what_was_let_go_of(self):
        grow = (lambda: self.serve(0, 10), lambda: self.serve(10, 30))
        [still] = looks(*grow, lambda: None)
        self.assertEqual(still[4:6] + still[7:], [30, 20, 30 * 64 * KIB])
        self.setUp()
        [gone] = looks(*grow, lambda: ENGINE.sessions.clear())
        self.assertEqual(gone[4:], [0, 0, 0, 0])

    def test_names_one_tensor_that_becomes_larger(self):
        def longer():
            ENGINE.past = torch.cat([ENGINE.past, torch.zeros(1 << 18)])

        [row] = looks(longer, longer, longer)
        self.assertEqual(row[1], "torch.Tensor")
        self.assertIn("past of Engine", row[3])
        self.assertEqual(row[7], ENGINE.past.nbytes)

    def test_counts_a_storage_once_and_parameters_never(self):
        shared = torch.zeros(1 << 20)

        def views():
            for _ in range(20):
                ENGINE.serve(len(ENGINE.sessions))
                ENGINE.sessions[len(ENGINE.sessions) - 1].layers = [shared[:10], torch.nn.Parameter(torch.zeros(1 << 16))]

        rows = looks(lambda: self.serve(0, 10), views)
        self.assertEqual([row[7] for row in rows if "sessions" in row[3]], [10 * 64 * KIB + shared.nbytes])


if __name__ == "__main__":
    unittest.main()
