"""What is seen without a line of the program's: the pace of it, and the tensors that live."""

import unittest

from needs import needs_torch, torch

from highwater._pace import Pace

kept = {}


class HowOften(unittest.TestCase):
    def told(self, pace, steps, step_ns, cost=0):
        numbers = []
        for number in range(1, steps + 1):
            if pace.due(number, number * step_ns):
                numbers.append(number)
                pace.told(number * step_ns, cost)
        return numbers

    def test_a_long_training_is_told_more_and_more_rarely(self):
        numbers = self.told(Pace(100), 10_000_000 // 100, 1_000_000)
        self.assertEqual(numbers[:100], list(range(1, 101)))
        self.assertLess(len(numbers), 1_100)
        self.assertGreater(numbers[-1], 99_000)

    def test_what_costs_much_is_told_rarely(self):
        self.assertEqual(len(self.told(Pace(1000), 1000, 1_000, cost=100_000)), 10)

    def test_fast_steps_are_thinned(self):
        self.assertEqual(len(self.told(Pace(1000, gap_ns=5_000), 1000, 1_000)), 200)


@needs_torch
class Tensors(unittest.TestCase):
    def tearDown(self):
        kept.clear()

    def survey(self):
        from highwater._inside.tensors import survey

        return {(row[0], row[3]): row for row in survey(torch)[0]}

    def test_are_grouped_and_their_holder_is_named(self):
        kept.update((n, torch.ones(3, 123_457)) for n in range(4))
        shape, dtype, device, what, holder, count, size = self.survey()[("[3, 123457]", "")]
        self.assertEqual((dtype, device, count, size), ("float32", "cpu", 4, 4 * 4 * 3 * 123_457))
        self.assertEqual(holder, "dict of 4 in kept of %s" % __name__)

    def test_views_share_their_memory(self):
        kept["whole"] = torch.ones(1_000_003)
        kept["again"] = kept["whole"][:]
        self.assertEqual(self.survey()[("[1000003]", "")][5:], [2, 4 * 1_000_003])

    def test_parameters_gradients_and_graphs_are_told_apart(self):
        kept["model"] = torch.nn.Linear(601, 701)
        kept["loss"] = kept["model"](torch.ones(511, 601))
        kept["loss"].sum().backward()
        found = self.survey()
        self.assertIn(("[701, 601]", "parameter"), found)
        self.assertIn(("[511, 701]", "AddmmBackward0"), found)
        kept["gradient"] = kept["model"].weight.grad
        self.assertIn(("[701, 601]", "gradient"), self.survey())


if __name__ == "__main__":
    unittest.main()
