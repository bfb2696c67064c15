"""``record --gpu-limit``: what a card is held to."""

import sys
import types
import unittest

import beside  # noqa: F401

from highwater._inside import driver as _driver
from highwater._inside import limit as _limit


class Cuda:
    """The calls of torch.cuda that a limit needs, of two cards of 80 GiB of which the second is in use."""

    def __init__(self, free=79 << 30, reserved=0):
        self._lazy, self.set = [], {}
        self._free, self._reserved = free, reserved

    def _lazy_call(self, call):
        self._lazy.append(call)

    def device_count(self):
        return 2

    def set_device(self, device):
        assert device == 1

    def mem_get_info(self, device):
        assert device == 1, "a context on a card that is not its own"
        return self._free, 80 << 30

    def memory_reserved(self, device):
        return self._reserved

    def set_per_process_memory_fraction(self, fraction, device):
        self.set[device] = fraction


class Held(unittest.TestCase):
    def setUp(self):
        self.said = []
        real = _limit.agent
        _limit.agent = types.SimpleNamespace(send=self.said.append)
        self.addCleanup(setattr, _limit, "agent", real)

    def limit(self, bytes_, ours=None, **cuda):
        real = _limit.held_by_us
        _limit.held_by_us = lambda torch, device: ours
        self.addCleanup(setattr, _limit, "held_by_us", real)
        c = types.SimpleNamespace(_cuda_hasPrimaryContext=lambda device: device == 1)
        fake = types.SimpleNamespace(cuda=Cuda(**cuda), _C=c)
        limit = _limit.Limit(fake, bytes_)
        self.assertFalse(limit.complete())
        limit.complete()
        return fake.cuda.set

    def test_the_card_in_use_is_held_to_the_size_less_the_context(self):
        self.assertEqual(self.limit(24 << 30, ours=1 << 30), {1: 23 / 80})
        values = self.said[0]["values"]
        self.assertEqual(values["limit1.context_known"], 1)
        self.assertEqual(values["limit1.allowed"], 23 << 30)
        self.assertEqual(values["limit1.context"], 1 << 30)
        self.assertEqual(len(self.said), 1)

    def test_what_others_have_on_the_card_is_not_taken_for_ours(self):
        # Two contexts of others, and a GiB: 1.9 GiB are in use, of which 0.5 are ours.
        free, ours = int(78.1 * (1 << 30)), (512 << 20) + (256 << 20)
        self.assertEqual(self.limit(6 << 30, ours=ours, free=free, reserved=256 << 20), {1: 5.5 / 80})

    def test_where_the_driver_does_not_tell_a_usual_context_is_taken_and_said_to_be_one(self):
        self.assertEqual(self.limit(24 << 30, free=40 << 30), {1: (24 - 0.5) / 80})
        self.assertEqual(self.said[0]["values"]["limit1.context_known"], 0)
        # No more than there is on the card besides torch's own.
        free = (80 << 30) - (400 << 20)
        self.assertEqual(self.limit(24 << 30, free=free), {1: ((24 << 30) - (400 << 20)) / (80 << 30)})

    def test_a_card_that_is_smaller_is_left_alone_and_that_is_said(self):
        self.assertEqual(self.limit(96 << 30), {})
        self.assertIn("no effect", self.said[0]["text"])

    def test_what_was_taken_before_is_said(self):
        self.limit(24 << 30, free=40 << 30, reserved=39 << 30)
        self.assertIn("before the limit", self.said[1]["text"])


class Driver(unittest.TestCase):
    def test_our_own_are_told_by_pid_or_by_being_alone(self):
        import os

        self.assertEqual(_driver._of_us([(1, 5), (os.getpid(), 7)]), 7)
        self.assertEqual(_driver._of_us([(1, 5)]), 5)
        self.assertIsNone(_driver._of_us([(1, 5), (2, 6)]))
        self.assertIsNone(_driver._of_us([]))

    def test_no_library_is_no_answer(self):
        self.assertIsNone(_driver.held_by_us(types.SimpleNamespace(cuda=Cuda()), 1, "libno-such.so.1"))


if __name__ == "__main__":
    sys.exit(unittest.main())
