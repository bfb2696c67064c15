"""When a training is looked through: once it has settled, soon again where something has grown, else when that is paid for."""

import unittest
from unittest import mock

from needs import needs_torch, torch

from highwater._inside import steps as module

SECOND = 10**9
QUIET = {"python.blocks": 100_000, "malloc.in_use": 50 << 20, "torch0.allocated": 1 << 30}


class Listens:
    spent_ns = 0

    def listens(self):
        return True

    def send(self, message):
        pass


@needs_torch
class SurveyTimes(unittest.TestCase):
    def setUp(self):
        for what in (mock.patch.object(module, "agent", Listens()), mock.patch.object(module.history, "_kept", False)):
            what.start()
            self.addCleanup(what.stop)
        self.steps = module.Steps(torch)
        self.addCleanup(module._watch, False)
        self.steps._count = module.FIRST_SURVEY
        self.begun = self.steps._born
        self.cost = self.look(1, QUIET)
        self.assertGreater(self.cost, 0)
        self.look(1.01, QUIET)
        # What it really cost depends on the machine.
        self.steps._early_at, self.steps._survey_at = self.begun + 3 * SECOND, self.begun + 40 * SECOND

    def look(self, second, values):
        return self.steps._survey_if_due(self.begun + int(second * SECOND), values)

    def test_not_again_while_nothing_grows_until_it_is_paid_for(self):
        self.assertEqual(self.look(20, {**QUIET, "python.blocks": 101_000}), 0)
        self.assertEqual(self.look(39, QUIET), 0)
        self.assertGreater(self.look(40, QUIET), 0)

    def test_soon_where_an_allocator_has_handed_out_more(self):
        for name in ("malloc.in_use", "torch0.allocated"):
            self.setUp()
            grown = {**QUIET, name: QUIET[name] + (1 << 20)}
            self.assertEqual(self.look(2, grown), 0)  # it would cost too much so early
            self.assertGreater(self.look(4, grown), 0)
            self.assertEqual(self.look(5, grown), 0)

    def test_soon_where_python_has_more_objects(self):
        self.assertGreater(self.look(4, {**QUIET, "python.blocks": 105_000}), 0)

    def test_what_a_history_of_ours_takes_is_no_growth(self):
        with mock.patch.object(module.history, "_kept", True):
            self.assertEqual(self.look(4, {**QUIET, "malloc.in_use": 90 << 20}), 0)

    def test_counters_that_are_sent_stay_as_they_are(self):
        values = {name: QUIET[name] for name in ("python.blocks", "torch0.allocated")}
        self.steps._settled = None
        self.look(4, values)
        self.look(5, dict(QUIET))
        self.assertNotIn("malloc.in_use", values)


if __name__ == "__main__":
    unittest.main()
