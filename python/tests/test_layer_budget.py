"""Which iterations are followed layer by layer, and what is shown of the others."""

import csv
import io
import os
import tempfile
import unittest

from needs import needs_torch, quiet, torch

from highwater import MemoryProfiler
from highwater._profiler.budget import SHARE, Budget

if torch is not None:
    import models
    from test_layer_truth import walk

F32 = 4


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Share(unittest.TestCase):
    """By a clock of our own: a quiet iteration takes 10 ms, a followed one ``followed``."""

    def train(self, steps, followed=0.03, every=None, wanted=lambda i: True, hiccups=()):
        clock = Clock()
        budget = Budget(every, layers=10, clock=clock)
        found = []
        for i in range(1, steps + 1):
            budget.begins()
            follow = budget.allows(wanted(i))
            clock.now += (followed if follow else 0.01) + (30 if i in hiccups else 0)
            budget.ended(follow)
            if follow:
                found.append(i)
        return found

    def test_the_first_two_then_within_the_share(self):
        found = self.train(5000)
        self.assertEqual(found[:2], [1, 2])
        self.assertGreater(len(found), 10)
        # Each followed one takes 20 ms more than the others.
        self.assertLessEqual((len(found) - 2) * 0.02 / (5000 * 0.01), SHARE)

    def test_what_costs_nothing_to_see_is_seen_often(self):
        self.assertGreater(len(self.train(1000, followed=0.01)), 3 * len(self.train(1000)))

    def test_only_iterations_that_are_shown(self):
        found = self.train(5000, wanted=lambda i: i % 100 == 0)
        self.assertGreater(len(found), 10)
        self.assertTrue(all(i % 100 == 0 for i in found[2:]), found)

    def test_each_or_each_tenth_where_that_is_asked_for(self):
        self.assertEqual(self.train(10, every=1), list(range(1, 11)))
        self.assertEqual(self.train(35, every=10), [1, 2, 12, 22, 32])

    def test_one_that_was_held_up_does_not_end_it(self):
        self.assertGreater(len(self.train(20000, hiccups=(2, 300))), 10)


@needs_torch
class Followed(unittest.TestCase):
    def setUp(self):
        self.model, (self.x,) = models.build("mlp")

    def hooks(self):
        """On modules, on weights, and those of autograd."""
        after = sum(len(module._forward_hooks) for module in self.model.modules())
        before = sum(len(module._forward_pre_hooks) for module in self.model.modules())
        weights = sum(len(getattr(p, "_post_accumulate_grad_hooks", None) or ()) for p in self.model.parameters())
        top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", lambda _: None)(False)
        return after, before, weights, top is not None

    def train(self, profiler, x=None):
        self.model.zero_grad()
        self.model(self.x if x is None else x).pow(2).sum().backward()
        profiler.record_stats()

    def profiler(self, **options):
        # Never within these tests, by the share: a followed one is paid for an hour.
        profiler = MemoryProfiler(self.model, out=quiet(), **options)
        profiler._budget._least = 3600.0
        return profiler

    def test_hooks_are_gone_in_between(self):
        with self.profiler() as profiler:
            self.assertEqual(self.hooks()[0], 4)
            for _ in range(2):
                self.train(profiler)
            for _ in range(3):
                # A single one stays, which looks at the shapes of what comes in.
                self.assertEqual(self.hooks(), (0, 1, 0, False))
                self.train(profiler)
        self.assertEqual(self.hooks(), (0, 0, 0, False))

    def test_figures_in_between_are_those_of_the_last_and_say_so(self):
        expected = walk(self.model(self.x).pow(2).sum(), self.model, (self.x,))
        out, home = io.StringIO(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with MemoryProfiler(self.model, csv=True, out=out) as profiler:
                    profiler._budget._least = 3600.0
                    for i in range(1, 4):
                        self.train(profiler)
                        stats = profiler.stats()
                        self.assertEqual(stats["memory/total_feature_map_usage"], expected)
                        self.assertEqual(stats["memory/detail_iteration"], min(i, 2))
                    profiler.epoch_end()
                    self.train(profiler)
                    with open(profiler.csv_path) as file:
                        lines = list(csv.DictReader(file))
            finally:
                os.chdir(home)
        tables = out.getvalue().split("Memory Usage for Iteration ")[1:]
        said = [table.partition("measured in ")[2].partition("\n")[0] for table in tables]
        self.assertEqual(said, ["", "", "iteration 2", "iteration 2 of epoch 1"])
        self.assertEqual([line["detail_iteration"] for line in lines], ["1", "2", "2", "2"])
        self.assertEqual([line["detail_epoch"] for line in lines], ["1"] * 4)

    def test_gradients_and_weights_are_true_in_between(self):
        with self.profiler() as profiler:
            for _ in range(4):
                self.train(profiler)
            self.model[2].weight.grad = None
            profiler.record_stats()
            stats = profiler.stats()
            self.assertEqual(stats["memory/gradient/2.weight"], 0)
            self.assertEqual(stats["memory/gradient/0.weight"], 30 * 20 * F32)
            self.model.to(torch.float64)
            self.train(profiler, self.x.double())
            self.assertEqual(profiler.stats()["memory/weight/0.weight"], 30 * 20 * 8)

    def test_gradients_that_go_before_figures_are_taken(self):
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        with self.profiler(print_period=4) as profiler:
            for _ in range(8):
                models.step(self.model, (self.x,), optimizer)
                optimizer.zero_grad()
                profiler.record_stats()
            size = sum(models.nbytes(p) for p in self.model.parameters())
            self.assertEqual(profiler.stats()["memory/total_layer_weight_gradient_usage"], size)

    def test_another_shape_is_seen_at_once_and_remembered(self):
        with self.profiler() as profiler:
            for _ in range(4):
                self.train(profiler)
            for size, iteration in ((5, 5), (16, 2), (5, 5), (40, 8)):
                self.train(profiler, torch.randn(size, 20))
                stats = profiler.stats()
                self.assertEqual(stats["memory/total_feature_map_usage"], size * 40 * F32)
                self.assertEqual(stats["memory/feature_map/1"], size * 30 * F32)
                self.assertEqual(stats["memory/model_inputs"], size * 20 * F32)
                self.assertEqual(stats["memory/detail_iteration"], iteration)
            self.assertEqual(self.hooks()[0], 0)

    def test_shapes_that_always_change_are_not_all_followed(self):
        sizes = [100] + list(range(3, 63))
        with self.profiler() as profiler:
            followed = set()
            for size in sizes + [200]:
                self.train(profiler, torch.randn(size, 20))
                followed.add(profiler.stats()["memory/detail_iteration"])
            # The largest ever is never missed.
            self.assertEqual(profiler.stats()["memory/total_feature_map_usage"], 200 * 40 * F32)
        self.assertLess(len(followed), 20)

    def test_evaluation_and_no_grad(self):
        def evaluate(profiler):
            self.model.eval()
            with torch.no_grad():
                self.model(self.x)
            profiler.record_stats()
            self.model.train()
            return profiler.stats()

        with self.profiler() as profiler:
            for _ in range(4):
                self.train(profiler)
            stats = evaluate(profiler)
            self.assertEqual(stats["memory/total_feature_map_usage"], 0)
            self.assertEqual(stats["memory/detail_iteration"], 5)
            self.train(profiler)
            self.assertEqual(profiler.stats()["memory/total_feature_map_usage"], 16 * 40 * F32)
            self.assertEqual(evaluate(profiler)["memory/detail_iteration"], 5)
            # An evaluation between two epochs belongs to the iteration after it, and hides nothing of it.
            self.model.eval()
            with torch.no_grad():
                for _ in range(100):
                    self.model(self.x)
            self.model.train()
            self.train(profiler)
            self.assertEqual(profiler.stats()["memory/total_feature_map_usage"], 16 * 40 * F32)

    def test_several_calls_in_an_iteration(self):
        def accumulate(profiler, count):
            sum(self.model(self.x).pow(2).sum() for _ in range(count)).backward()
            profiler.record_stats()
            return profiler.stats()["memory/total_feature_map_usage"]

        with self.profiler() as profiler:
            for _ in range(4):
                self.assertEqual(accumulate(profiler, 2), 2 * 16 * 40 * F32)
            # The third call was not to be expected: the next iteration tells.
            accumulate(profiler, 3)
            self.assertEqual(accumulate(profiler, 3), 3 * 16 * 40 * F32)
            self.assertEqual(profiler.stats()["memory/detail_iteration"], 6)

    def test_a_part_that_is_called_by_itself(self):
        with self.profiler() as profiler:
            for size in (16, 16, 16, 5):
                self.model[0](torch.randn(size, 20)).relu().pow(2).sum().backward()
                profiler.record_stats()
            # Both relu and pow keep relu's output.
            self.assertEqual(profiler.stats()["memory/feature_map/outside the model"], 5 * 30 * F32)

    def test_live_has_each_iteration_followed_from_then_on(self):
        with self.profiler() as profiler:
            for _ in range(3):
                self.train(profiler)
            loss = self.model(self.x).pow(2).sum()
            self.assertIsNone(profiler.live()["feature_map"])
            loss.backward()
            profiler.record_stats()
            for _ in range(3):
                loss = self.model(self.x).pow(2).sum()
                self.assertEqual(profiler.live()["feature_map"], 16 * 40 * F32)
                loss.backward()
                profiler.record_stats()

    def test_hooks_of_a_loop_are_left_where_they_are(self):
        if not hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks"):
            self.skipTest("torch 2.0 to 2.2 do not tell")
        from torch.autograd.graph import save_on_cpu

        with self.profiler() as profiler:
            for _ in range(3):
                self.train(profiler)
            with save_on_cpu():
                inner = torch._C._autograd._top_saved_tensors_default_hooks(False)[0]
                # Of another shape: followed, and again not.
                for size in (3, 3, 16, 7):
                    self.train(profiler, torch.randn(size, 20))
                    self.assertIs(torch._C._autograd._top_saved_tensors_default_hooks(False)[0], inner)
            self.assertEqual(self.hooks(), (0, 1, 0, False))

    def test_bad_arguments(self):
        for every in (0, -1, 1.5, "all", True):
            with self.assertRaisesRegex(ValueError, "every must be a whole number of 1 or more"):
                MemoryProfiler(self.model, every=every)


if __name__ == "__main__":
    unittest.main()
