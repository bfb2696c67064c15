"""What a process holds on a card outside torch's allocator: the context, what takes memory in one go, and what comes between."""

import types
import unittest

import beside  # noqa: F401

from highwater._inside import outside as _outside
from highwater._inside import takers as _takers

MIB = 1 << 20


class Card:
    """A card as the driver and torch tell of it; each figure is what a test sets it to."""

    def __init__(self):
        self.outside, self.reserved, self.context = 0, 0, False

    def read(self):
        return (self.outside + self.reserved) * MIB


class Outside(unittest.TestCase):
    def setUp(self):
        self.said = []
        for module, name, value in (
            (_outside, "agent", types.SimpleNamespace(send=self.said.append)),
            (_outside, "message", lambda now, of: {"type": "moment", "time": now, "rows": [[of, "train.py:7"]]}),
            (_outside._thread, "start_new_thread", lambda run, args: None),
        ):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        self.card = Card()
        cuda = types.SimpleNamespace(
            device_count=lambda: 1,
            current_device=lambda: 0,
            is_initialized=lambda: True,
            memory_stats_as_nested_dict=lambda device: {"reserved_bytes": {"all": {"current": self.card.reserved * MIB}}},
        )
        torch = types.SimpleNamespace(cuda=cuda, _C=types.SimpleNamespace(_cuda_hasPrimaryContext=lambda device: self.card.context))
        self.outside = _outside.Outside()
        self.outside._open = lambda torch, device: self.card
        self.outside.begin(torch)

    def figures(self):
        told = {}
        for one in self.said:
            told.update(one.get("values", {}))
        return {name.split(".")[1]: value // MIB for name, value in told.items()}

    def turn(self, now=0.0):
        return self.outside._turn(now)

    def set(self, **figures):
        self.card.__dict__.update(figures)

    def warm(self):
        self.set(context=True, outside=518)
        self.turn()
        self.set(reserved=300)
        self.turn()
        self.assertEqual(self.figures(), {"context": 518, "held": 518})

    def test_the_context_is_what_is_there_when_torch_first_allocates(self):
        self.turn()
        self.assertEqual(self.said, [])
        self.set(context=True, outside=104)
        self.assertEqual(self.turn(), _outside.COMING_SECONDS)
        self.assertEqual(self.said, [])
        self.warm()

    def test_what_comes_later_is_told_with_the_line_that_ran_once(self):
        self.warm()
        self.set(outside=610)
        self.turn()
        self.turn()
        self.assertEqual(self.figures()["grown"], 92)
        self.assertEqual([one["rows"] for one in self.said if one["type"] == "moment"], [[["outside0", "train.py:7"]]])
        # A few pages are not worth a line, but are part of what is held.
        self.set(outside=612)
        self.turn()
        self.assertEqual(self.figures()["grown"], 92)
        self.assertEqual(self.outside.counters(), {"outside0.held": 612 * MIB})

    def test_what_is_taken_in_one_go_is_its_takers_and_no_growth(self):
        self.warm()
        for _ in range(2):
            self.assertTrue(self.outside.before("graphs"))
            self.set(outside=self.card.outside + 20, reserved=400)
            self.turn()  # of the thread, meanwhile
            self.assertFalse(self.outside.before("nccl"))
            self.outside.after()
        self.assertEqual(self.figures(), {"context": 518, "graphs": 40, "held": 558})
        self.assertTrue(self.outside.before("nccl"))
        self.set(outside=1116)
        self.outside.after()
        self.assertTrue(self.outside.before("nccl"))
        self.set(outside=728)
        self.outside.after()
        self.assertEqual(self.figures(), {"context": 518, "graphs": 40, "nccl": 170, "held": 728})
        self.turn()
        self.assertNotIn("grown", self.figures())

    def test_what_is_taken_before_torch_allocates_is_not_in_the_context(self):
        self.set(context=True, outside=518)
        self.assertTrue(self.outside.before("nccl"))
        self.set(outside=1076)
        self.outside.after()
        self.set(reserved=20)
        self.turn()
        self.assertEqual(self.figures(), {"context": 518, "nccl": 558, "held": 1076})

    def test_without_a_context_nothing_is_told(self):
        self.assertFalse(self.outside.before("graphs"))
        self.outside._open = None  # a driver without such a library
        self.set(context=True, outside=518, reserved=20)
        self.turn()
        self.assertFalse(self.outside.before("graphs"))
        self.assertEqual(self.outside.counters(), {})
        self.assertEqual(self.said, [])

    def test_the_thread_is_done_when_nothing_grows(self):
        self.warm()
        since = self.outside._cards[0].since
        self.assertEqual(self.turn(since + 1), _outside.GROWING_SECONDS)
        self.assertIsNone(self.turn(since + _outside.CALM_SECONDS + 1))

    def test_two_figures_of_different_moments_are_not_held_against_each_other(self):
        self.warm()
        figures = iter(range(1000, 2000, 100))
        self.card.read = lambda: next(figures) * MIB
        self.assertEqual(self.outside.counters(), {})


class Rounding(unittest.TestCase):
    def test_pinned_requests_are_rounded_up_to_powers_of_two(self):
        from highwater._inside.host_tensors import rounded

        self.assertEqual([rounded(size * MIB) // MIB for size in (20, 64, 65, 100, 3000)], [32, 64, 128, 128, 4096])
        self.assertEqual([rounded(0), rounded(1), rounded(3)], [0, 1, 4])

    def test_what_is_handed_out_counts_only_where_what_comes_back_is_counted(self):
        from highwater import _gauges

        def told(**active):
            of = {"current": 705691649, "peak": 705691649, "allocated": 705691648, **active}
            owned = {"current": 571473920, "peak": 571473920, "allocated": 571473920, "freed": 0}
            cuda = types.SimpleNamespace(
                is_initialized=lambda: True, host_memory_stats_as_nested_dict=lambda: {"active_bytes": of, "allocated_bytes": owned}
            )
            values = {}
            _gauges.pinned(types.SimpleNamespace(cuda=cuda), values)
            return values

        # torch 2.11 on an H200: one block given back and handed out again, and another added as minus one.
        self.assertEqual(told(freed=-1), {"pinned.reserved": 571473920})
        self.assertEqual(told(current=5, freed=64)["pinned.allocated"], 5)


class Graph:
    """As torch.cuda.CUDAGraph."""

    fails = False

    def capture_begin(self, pool=None):
        """Begins."""
        self.pool = pool

    def capture_end(self):
        if self.fails:
            raise RuntimeError("not captured")
        return "ended"

    def instantiate(self):
        return "made"


class Takers(unittest.TestCase):
    def setUp(self):
        self.events = []
        fake = types.SimpleNamespace(
            before=lambda what: self.events.append("before " + what) or True, after=lambda: self.events.append("after")
        )
        self.addCleanup(setattr, _takers, "outside", _takers.outside)
        _takers.outside = fake

    def test_a_capture_is_open_until_its_end_also_where_it_fails(self):
        kind = type("Captured", (Graph,), dict(Graph.__dict__))
        _takers._follow_graphs(kind)
        graph = kind()
        graph.capture_begin(pool=3)
        self.assertEqual((graph.pool, graph.capture_begin.__doc__), (3, "Begins."))
        self.assertEqual(graph.capture_end(), "ended")
        self.assertEqual(graph.instantiate(), "made")
        self.assertEqual(self.events, ["before graphs", "after"] * 2)
        graph.fails = True
        graph.capture_begin()
        with self.assertRaises(RuntimeError):
            graph.capture_end()
        self.assertEqual(self.events, ["before graphs", "after"] * 3)
        self.assertEqual(graph.__dict__, {"pool": None, "fails": True})

    def test_groups_are_followed_until_each_was_used_once(self):
        try:
            import torch
            import torch.distributed as distributed
        except ImportError:
            self.skipTest("needs torch")
        import os
        import tempfile

        module = distributed.distributed_c10d
        names = ("init_process_group", "new_group", "destroy_process_group")
        originals = {name: getattr(module, name) for name in names}
        plain = module.ProcessGroup.allreduce
        groups = _takers.Groups(torch)
        groups.follow()
        with tempfile.TemporaryDirectory() as folder:
            try:
                distributed.init_process_group("gloo", rank=0, world_size=1, init_method="file://" + os.path.join(folder, "meet"))
                self.assertEqual(self.events, ["before nccl", "after"])
                self.assertIsNot(module.ProcessGroup.allreduce, plain)
                value = torch.ones(3)
                distributed.all_reduce(value)
                self.assertEqual(value.tolist(), [1.0, 1.0, 1.0])
                # It is no group of NCCL's, and there is no other: what it was is back.
                self.assertEqual(self.events, ["before nccl", "after"])
                self.assertIs(module.ProcessGroup.allreduce, plain)
                other = distributed.new_group([0])
                self.assertIsNot(module.ProcessGroup.allreduce, plain)
                module._world.pg_backend_config[other] = "cuda:nccl"
                self.events.clear()
                distributed.all_reduce(value)
                self.assertEqual(self.events, [])
                distributed.broadcast(value, 0, group=other)
                self.assertEqual(self.events, ["before nccl", "after"])
                self.assertIs(module.ProcessGroup.allreduce, plain)
            finally:
                distributed.destroy_process_group()
                groups._unwrap()
                for name, original in originals.items():
                    setattr(module, name, original)
                    setattr(distributed, name, original)


if __name__ == "__main__":
    unittest.main()
