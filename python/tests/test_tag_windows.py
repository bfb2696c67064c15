"""Tags on allocations cost a bounded share of a training, and a step without them has none of another step's."""

import unittest

from needs import needs_torch, torch

from highwater._inside.tag_windows import FIRST, SHARE, TagWindows

if torch is not None:
    from highwater._inside.tagging import Tagger
    from torch import nn


def train(windows, steps, usual, tags, followed=()):
    """ns in all, and which steps had tags. ``tags``: ns that they add to a step."""
    had, total = [], 0
    for step in range(steps):
        on = windows.on
        took = usual + (tags if on else 0) + (10 * usual if step in followed else 0)
        total += took
        had.append(on)
        windows.step_took(took, step in followed, 1000 if on else 0)
    return total, had


class Windows(unittest.TestCase):
    def test_what_is_cheap_is_on_but_for_the_steps_that_showed_it(self):
        _, had = train(TagWindows(), 1000, 100_000_000, 500_000)
        self.assertEqual(had.count(False), FIRST)

    def test_what_is_dear_takes_its_share_and_no_more(self):
        for tags in (500_000, 1_500_000, 20_000_000):
            with self.subTest(tags=tags):
                windows, usual = TagWindows(), 7_000_000
                train(windows, 4 * FIRST, usual, tags)
                total, had = train(windows, 5000, usual, tags)
                self.assertLessEqual(total / (5000 * usual) - 1, 1.2 * max(SHARE, 2 / 256 * tags / usual))
                self.assertGreater(had.count(True), 30)

    def test_a_step_that_was_followed_is_not_believed(self):
        _, had = train(TagWindows(), 1000, 100_000_000, 100_000, followed=range(0, 1000, 3))
        self.assertEqual(had.count(False), FIRST)

    def test_steps_that_become_longer_have_tags_again(self):
        windows = TagWindows()
        train(windows, 200, 5_000_000, 1_000_000)
        _, had = train(windows, 1000, 500_000_000, 1_000_000)
        self.assertGreater(had[-200:].count(True), 190)


@needs_torch
class Rests(unittest.TestCase):
    def setUp(self):
        self.said = []
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.tagger = Tagger(torch, self.model, self.said.append, 1)
        self.addCleanup(self.tagger.close)

    def step(self, number):
        del self.said[:]
        self.tagger.phase("forward", number)
        loss = self.model(torch.ones(2, 4)).sum()
        self.tagger.backward(loss)
        loss.backward()
        self.tagger.phase("optimizer")
        return list(self.said)

    def test_no_hook_is_left_and_the_thread_of_the_backward_pass_forgets_too(self):
        tagged = self.step(1)
        self.assertIn("2 backward #1", tagged)
        self.tagger.rest()
        self.assertEqual(self.said[-1], "")
        self.assertEqual([len(one._forward_hooks) + len(one._forward_pre_hooks) for one in self.model.modules()], [0] * 4)
        self.assertEqual(self.step(2), [""])  # where the backward pass begins
        self.tagger.go_on()
        self.assertEqual(self.step(3), [text.replace("#1", "#3") for text in tagged])

    def test_what_is_compiled_is_not_compiled_anew(self):
        from torch._dynamo.utils import counters

        torch._dynamo.reset()
        counters.clear()
        self.addCleanup(torch._dynamo.reset)
        called = torch.compile(lambda x: self.model(x), backend="eager")
        for number in range(4):
            called(torch.ones(2, 4)).sum().backward()
            self.tagger.rest() if number % 2 else self.tagger.go_on()
        self.assertEqual(counters["stats"]["unique_graphs"], 1)


if __name__ == "__main__":
    unittest.main()
