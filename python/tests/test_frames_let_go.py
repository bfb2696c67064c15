"""Who looks at what threads run keeps none of it: a kept frame has the program's variables, a step's activations among them."""

import gc
import unittest
import weakref

import beside  # noqa: F401

from highwater import _running
from highwater._inside.gradients import _changed_elsewhere
from highwater._inside.reachable import variables


class Activation:
    pass


def forward(look):
    input = Activation()
    look()
    return weakref.ref(input)


class FramesTest(unittest.TestCase):
    def setUp(self):
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)

    def lets_go(self, look):
        kept = forward(look)
        self.assertIsNone(kept(), "its frame is kept until Python collects")

    def test_of_variables(self):
        self.lets_go(lambda: len(variables()))

    def test_of_what_runs_at_a_moment(self):
        self.lets_go(_running.moment)

    def test_of_who_changes_gradients(self):
        self.lets_go(lambda: _changed_elsewhere(set()))
        self.lets_go(lambda: _changed_elsewhere({forward.__code__}))


if __name__ == "__main__":
    unittest.main()
