"""Which variable keeps autograd's graphs, by how many nodes, and at which line it is set."""

import unittest

from needs import needs_torch, torch

from highwater._inside.graphs import Graphs
from highwater._places import with_line


def line_of(text):
    """The last line of this file that has it in front."""
    with open(__file__) as file:
        return max(number for number, line in enumerate(file, 1) if line.strip().startswith(text))


@needs_torch
class KeptGraphs(unittest.TestCase):
    def train(self, step, steps=60, looks=(5, 50)):
        """`step(state, loss)` returns what is carried over; rows of each look, by what holds the graph."""
        graphs = Graphs()
        model = torch.nn.Linear(4, 4)
        found = []
        carried = torch.zeros(())
        for number in range(steps):
            loss = model(torch.ones(2, 4)).square().mean()
            loss.backward()
            carried = step(carried, loss)
            if number in looks:
                rows = graphs.survey(torch, number * 1_000_000_000)
                found.append({row[3].split(" in ")[0]: row for row in rows})
        return found

    def test_a_sum_of_losses_is_told_with_its_growth_and_line(self):
        first, last = self.train(lambda total, loss: total + loss)
        self.assertEqual(first["carried"][5], 0)
        kind, made_by, of, holder, count, grown, seconds, size = last["carried"]
        self.assertEqual((kind, made_by, of, seconds, size), ("graph", "AddBackward0", "", 45.0, 0))
        self.assertRegex(holder, r"^carried in train\(\) at \S*test_graphs\.py:%d$" % line_of("carried = step("))
        # The nodes of one iteration, 45 times.
        self.assertEqual(grown % 45, 0)
        self.assertGreaterEqual(grown, 45 * 4)
        self.assertGreater(count, grown)

    def test_numbers_and_what_is_detached_keep_none(self):
        for step in (lambda total, loss: total + loss.item(), lambda total, loss: (total + loss).detach()):
            _, last = self.train(step)
            self.assertNotIn("carried", last)
            self.assertTrue(all(row[5] == 0 for row in last.values()))

    def test_a_graph_of_the_same_size_does_not_grow(self):
        _, last = self.train(lambda _, loss: loss * 2)
        self.assertEqual([row[5] for row in last.values()], [0] * len(last))
        self.assertIn("carried", last)

    def test_one_that_was_cut_off_begins_again(self):
        steps = iter(range(60))
        reset = lambda total, loss: torch.zeros(()) + loss if next(steps) == 30 else total + loss  # noqa: E731
        *_, before, after, last = self.train(reset, looks=(5, 29, 31, 50))
        self.assertGreater(before["carried"][5], 0)
        self.assertGreater(last["carried"][5], 0)
        self.assertLess(last["carried"][4], before["carried"][4])
        self.assertLess(after["carried"][4], before["carried"][4])

    def test_saved_tensor_hooks_of_the_program_are_not_run(self):
        unpacked = []
        with torch.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: unpacked.append(1) or one):
            weight = torch.ones(4, requires_grad=True)
            total = (weight * weight).exp().sum()
        rows = Graphs().survey(torch, 0)
        self.assertIn("total", {row[3].split(" in ")[0] for row in rows})
        self.assertEqual(unpacked, [])
        total.backward()
        self.assertTrue(unpacked)

    def test_functions_of_the_program_are_nodes_like_others(self):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, one):
                return one * 2

            @staticmethod
            def backward(ctx, gradient):
                return gradient * 2

        _, last = self.train(lambda total, loss: Twice.apply(total + loss))
        self.assertEqual(last["carried"][1], "TwiceBackward")
        self.assertGreater(last["carried"][5], 0)

    def test_more_nodes_than_may_be_looked_at_are_not_told_as_a_number(self):
        total = torch.ones(1, requires_grad=True)
        for _ in range(30_000):
            total = total + 1
        self.assertEqual([row for row in Graphs().survey(torch, 0) if row[3].startswith("total")], [])


class Lines(unittest.TestCase):
    def test_of_a_variable_that_a_running_function_sets(self):
        kept = None
        kept = [kept]
        holder = "list of 3 in kept in test_of_a_variable_that_a_running_function_sets()"
        told, place = with_line(holder).split(" at ")
        self.assertEqual(told, holder)
        self.assertRegex(place, r"^\S*test_graphs\.py:%d$" % line_of("kept = [kept]"))

    def test_are_not_made_up(self):
        for holder in ("", "list of 3", "history of Trainer", "lost in nowhere()", "x of no.such.module"):
            self.assertEqual(with_line(holder), holder)


if __name__ == "__main__":
    unittest.main()
