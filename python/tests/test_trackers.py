"""Figures in others' runs: only in those that are open, and never at the program's cost."""

import sys
import types
import unittest

import beside  # noqa: F401 (the package beside these tests)
from highwater._inside.trackers import EAGER_STEPS, Trackers


class Steps:
    """As the agent counts them."""

    def __init__(self):
        self.count = 0

    def is_first(self, optimizer):
        return optimizer == "first"


class Run:
    def __init__(self):
        self.rows, self.metrics = [], []

    def define_metric(self, name, step_metric):
        self.metrics.append((name, step_metric))

    def log(self, row, commit):
        self.rows.append((row, commit))


class BrokenRun(Run):
    def log(self, row, commit):
        raise RuntimeError("the disk is full")


class TrackersTest(unittest.TestCase):
    def setUp(self):
        self.steps = Steps()
        self.trackers = Trackers(None, self.steps)
        self.addCleanup(sys.modules.pop, "wandb", None)

    def take(self, run, steps, optimizer="first"):
        sys.modules["wandb"] = types.SimpleNamespace(run=run)
        for _ in range(steps):
            self.steps.count += 1
            self.trackers.step_ends(optimizer)

    def test_a_row_is_left_to_the_program_to_commit(self):
        run = Run()
        self.take(run, 3)
        self.assertEqual([(row["highwater/step"], commit) for row, commit in run.rows], [(1, False), (2, False), (3, False)])
        for row, _ in run.rows:
            self.assertGreaterEqual(row["highwater/host_peak_bytes"], row["highwater/host_bytes"])
        self.assertIn(("highwater/host_peak_bytes", "highwater/step"), run.metrics)
        self.assertEqual(len(run.metrics), len(set(run.metrics)))

    def test_steps_of_other_optimizers_are_not_told(self):
        run = Run()
        self.take(run, 3, optimizer="second")
        self.assertEqual(run.rows, [])

    def test_a_program_without_a_run_gets_none(self):
        before = set(sys.modules)
        self.take(None, 3)
        self.assertEqual({name for name in set(sys.modules) - before if not name.startswith("highwater")} - {"wandb"}, set())

    def test_what_goes_wrong_there_is_not_the_programs(self):
        self.take(BrokenRun(), 3)

    def test_later_steps_are_told_as_far_as_time_pays(self):
        run = Run()
        self.take(run, EAGER_STEPS + 1000)
        self.assertGreaterEqual(len(run.rows), EAGER_STEPS)
        self.assertLess(len(run.rows), EAGER_STEPS + 500)

    def test_the_next_run_has_its_own_axis(self):
        first, second = Run(), Run()
        self.take(first, 1)
        self.take(None, 1)
        self.take(second, 1)
        self.assertEqual(first.metrics, second.metrics)


if __name__ == "__main__":
    unittest.main()
