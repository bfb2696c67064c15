"""The sums within an iteration, event by event. Standard library only."""

import unittest

import needs  # noqa: F401  (the package's path)
from highwater._profiler.ledger import DROPPED, FLOW, FLOWN, GRADIENT, GRADIENTS, OUTPUT, SAVE, Ledger


class Sums(unittest.TestCase):
    def ledger(self, *events):
        ledger = Ledger()
        ledger.events.extend(events)
        ledger.settle()
        return ledger

    def test_a_storage_counts_once_until_the_last_lets_go(self):
        ledger = self.ledger((SAVE, 1, 10, "a", -1), (SAVE, 1, 10, "b", -1), 1)
        self.assertEqual((ledger.saved, ledger.saved_by_layer), (10, {"a": 10}))
        ledger.events.append(1)
        ledger.settle()
        self.assertEqual((ledger.saved, ledger.most_saved, ledger.most_by_layer), (0, 10, {"a": 10}))

    def test_an_address_may_be_used_again(self):
        ledger = self.ledger((SAVE, 1, 10, "a", -1), 1, (SAVE, 1, 30, "b", 0))
        self.assertEqual((ledger.saved, ledger.most_by_layer), (30, {"a": 0, "b": 30}))
        self.assertEqual(ledger.saved_on_device, {-1: 0, 0: 30})

    def test_layers_are_those_of_the_highest_moment(self):
        ledger = self.ledger(
            (SAVE, 1, 10, "a", -1), (SAVE, 2, 20, "b", -1), 1, (SAVE, 3, 5, "c", -1), 2, 3, (SAVE, 4, 29, "d", -1)
        )
        self.assertEqual((ledger.most_saved, ledger.most_by_layer), (30, {"a": 10, "b": 20}))

    def test_a_new_iteration_begins_with_what_still_lives(self):
        ledger = self.ledger((SAVE, 1, 10, "a", -1), (SAVE, 2, 20, "a", -1), 2)
        ledger.restart()
        self.assertEqual((ledger.most_saved, ledger.most_by_layer), (10, {"a": 10}))

    def test_a_gradient_is_together_with_the_one_it_was_made_of(self):
        ledger = self.ledger((FLOW, 1, 10, "c", 5), (FLOWN, 1), (FLOW, 2, 7, "b", 5), (FLOWN, 2), (FLOW, 3, 1, "a", 5))
        self.assertEqual(ledger.most_flow, 17)

    def test_but_not_with_one_of_the_backward_pass_before(self):
        ledger = self.ledger((FLOW, 1, 10, "c", 5), (FLOWN, 1), (FLOW, 1, 10, "c", 6), (FLOWN, 1))
        self.assertEqual((ledger.most_flow, ledger.peak.bytes), (10, 10))

    def test_an_output_counts_while_nobody_keeps_it(self):
        ledger = self.ledger((OUTPUT, 1, 10, "a"), (OUTPUT, 2, 20, "b"), (SAVE, 1, 10, "b", -1), (DROPPED, 2))
        self.assertEqual((ledger.most_outputs, ledger.saved, ledger.parts()["output"]), (30, 10, 0))
        self.assertEqual(ledger.peak.bytes, 30)
        ledger.events.extend([1, (OUTPUT, 3, 5, "c"), (DROPPED, 1)])
        ledger.settle()
        self.assertEqual((ledger.saved, ledger.parts()["output"]), (0, 5))
        ledger.restart()
        self.assertEqual(ledger.most_outputs, 5)

    def test_the_peak_has_a_layer_and_its_parts(self):
        ledger = Ledger()
        ledger.standing = {"weight": 100}
        ledger.events.extend([(SAVE, 1, 10, "a", -1), (SAVE, 2, 20, "b", -1), (GRADIENTS, {}), 2])
        ledger.events.extend([(FLOW, 9, 5, "a", 1), (GRADIENT, 7, 50, "b"), (GRADIENT, 7, 50, "b")])
        ledger.settle()
        peak = ledger.peak
        self.assertEqual((peak.bytes, peak.layer, peak.phase), (165, "b", "backward"))
        self.assertEqual(
            peak.parts, {"weight": 100, "gradient": 50, "feature_map": 10, "intermediate_gradient": 5, "output": 0}
        )
        self.assertEqual(sum(peak.parts.values()), peak.bytes)


if __name__ == "__main__":
    unittest.main()
