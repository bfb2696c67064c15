"""``record --gpu-limit``: what a card is held to."""

import sys
import types
import unittest

import beside  # noqa: F401

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

    def limit(self, bytes_, **cuda):
        c = types.SimpleNamespace(_cuda_hasPrimaryContext=lambda device: device == 1)
        fake = types.SimpleNamespace(cuda=Cuda(**cuda), _C=c)
        limit = _limit.Limit(fake, bytes_)
        self.assertFalse(limit.complete())
        limit.complete()
        return fake.cuda.set

    def test_the_card_in_use_is_held_to_the_size_less_the_context(self):
        self.assertEqual(self.limit(24 << 30), {1: 23 / 80})
        values = self.said[0]["values"]
        self.assertEqual(values["limit1.allowed"], 23 << 30)
        self.assertEqual(values["limit1.context"], 1 << 30)
        self.assertEqual(len(self.said), 1)

    def test_beside_others_on_the_card_a_usual_context_is_taken(self):
        self.assertEqual(self.limit(24 << 30, free=40 << 30), {1: (24 - 0.5) / 80})

    def test_a_card_that_is_smaller_is_left_alone_and_that_is_said(self):
        self.assertEqual(self.limit(96 << 30), {})
        self.assertIn("no effect", self.said[0]["text"])

    def test_what_was_taken_before_is_said(self):
        self.limit(24 << 30, free=40 << 30, reserved=39 << 30)
        self.assertIn("before the limit", self.said[1]["text"])


if __name__ == "__main__":
    sys.exit(unittest.main())
