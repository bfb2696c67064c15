"""What ``record --layers`` and ``--gpu-limit`` do inside a program: the model found, tags, the limit, the cost."""

import os
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

from needs import PACKAGE, needs_torch, run, torch

from highwater._inside import jax as _jax
from highwater._inside import keras as _keras
from highwater._inside import limit as _limit
from highwater._inside import owners
from highwater._inside.history import ENTRIES, ENTRY, STACK, History
from highwater._inside.overhead import Overhead

if torch is not None:
    from highwater._model import find_model
    from highwater._inside.tagging import Tagger
    from torch import nn


class Cost(unittest.TestCase):
    def overhead(self, steps):
        """``steps``: (ns of the step, whether followed, ns of the profiler's own work after it)."""
        now = [0]
        cost = Overhead(clock=lambda: now[0])
        for took, followed, own in steps:
            now[0] += took
            cost.step_ends()
            now[0] += own
            cost.step_begins(followed)
        return cost

    def test_what_followed_steps_take_longer_is_counted_once_it_is_known_how_long_one_takes(self):
        first = self.overhead([(300, True, 10), (300, True, 10)])
        self.assertEqual(first.added, 20)
        all_of_it = self.overhead([(300, True, 10), (300, True, 10), (100, False, 5), (100, False, 5)])
        self.assertEqual(all_of_it.added, 30 + 2 * 200)
        self.assertEqual(all_of_it.values()["layers.time_ns"], 830)
        self.assertEqual((all_of_it.steps, all_of_it.followed), (4, 2))

    def test_a_step_that_something_else_held_up_is_not_believed(self):
        cost = self.overhead([(100, False, 0), (100_000, True, 0)])
        self.assertEqual(cost.added, 400)


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


GIB = 1 << 30


class Card:
    """torch with one card of 80 GiB, as far as the history asks."""

    def __init__(self, own=False):
        self.said = []  # calls of the history's switch
        self.stats = {
            "reserved_bytes": {"all": {"current": 0, "peak": 0}},
            "allocation": {"all": {"allocated": 0, "freed": 0}},
        }
        memory = types.SimpleNamespace(_record_memory_history=lambda *args, **how: self.said.append((*args, how)))
        self.cuda = types.SimpleNamespace(
            memory=memory,
            device_count=lambda: 1,
            memory_stats_as_nested_dict=lambda _: self.stats,
            get_device_properties=lambda _: types.SimpleNamespace(total_memory=80 * GIB),
            get_per_process_memory_fraction=lambda _: self.fraction,
        )
        self.fraction = 1.0
        self._C = types.SimpleNamespace(_cuda_isHistoryEnabled=lambda: own)

    def holds(self, gib):
        self.stats["reserved_bytes"]["all"] = {"current": gib * GIB, "peak": gib * GIB}

    def made(self, allocated, freed):
        self.stats["allocation"]["all"] = {"allocated": allocated, "freed": freed}


class Histories(unittest.TestCase):
    def begun(self, card, **env):
        history = History()
        with unittest.mock.patch.dict(os.environ, env), unittest.mock.patch("threading.Thread"):
            history.begin(card)
        return history

    def after(self, history, card, gib, now, steps):
        """Whether it is kept when so much is held at a moment."""
        card.holds(gib)
        history.steps = steps
        wanted = history.consider(now)
        if wanted is not None:
            history.switch(wanted)
        return history.kept

    def test_is_kept_until_a_training_is_set_up_and_has_stopped_growing(self):
        card = Card()
        history = self.begun(card)
        self.assertEqual(card.said, [("all", {"context": "alloc", "stacks": "python", "max_entries": ENTRIES})])
        self.assertTrue(self.after(history, card, 0, 0.0, 0))  # nothing is on the card yet
        self.assertTrue(self.after(history, card, 10, 100.0, 0))  # a model
        self.assertTrue(self.after(history, card, 10, 150.0, 0))  # which waits for its data
        self.assertTrue(self.after(history, card, 20, 301.0, 4))
        self.assertTrue(self.after(history, card, 20, 305.0, 5))  # grown four seconds ago
        self.assertFalse(self.after(history, card, 20, 312.0, 50))
        self.assertEqual(card.said[-1], (None, {}))

    def test_is_kept_again_for_a_while_when_more_is_held(self):
        card = Card()
        history = self.begun(card)
        self.after(history, card, 10, 0.0, 100)
        self.assertFalse(self.after(history, card, 10, 11.0, 200))
        self.assertFalse(self.after(history, card, 10.9, 12.0, 210))
        self.assertTrue(self.after(history, card, 11.1, 13.0, 220))
        self.assertFalse(self.after(history, card, 11.1, 24.0, 230))

    def test_is_kept_for_good_on_a_card_half_full(self):
        card = Card()
        history = self.begun(card)
        self.after(history, card, 35, 0.0, 100)
        self.assertFalse(self.after(history, card, 35, 11.0, 200))
        self.assertFalse(self.after(history, card, 38, 11.5, 205))
        self.assertTrue(self.after(history, card, 40, 12.0, 210))
        self.assertTrue(self.after(history, card, 37, 1000.0, 2000))  # no switching to and fro
        self.assertFalse(self.after(history, card, 35, 1001.0, 2001))

    def test_half_full_is_half_of_what_the_process_may_have(self):
        card = Card()
        card.fraction = 0.25
        history = self.begun(card)
        self.after(history, card, 8.5, 0.0, 100)
        self.assertFalse(self.after(history, card, 8.5, 11.0, 200))
        self.assertTrue(self.after(history, card, 10, 12.0, 200))

    def test_rests_in_a_program_that_takes_no_steps_after_a_minute(self):
        card = Card()
        history = self.begun(card)
        self.assertTrue(self.after(history, card, 10, 1000.0, 0))
        self.assertTrue(self.after(history, card, 10, 1059.0, 0))
        self.assertFalse(self.after(history, card, 10, 1061.0, 0))

    def test_one_of_the_programs_own_is_left_alone(self):
        card = Card(own=True)
        self.begun(card)
        self.assertEqual(card.said, [])

    def test_one_that_the_program_starts_later_is_left_alone_until_it_ends(self):
        card = Card()
        history = self.begun(card)
        card.cuda.memory._record_memory_history(max_entries=7)
        self.assertEqual(card.said[1], ("all", {"max_entries": 7}))
        self.assertTrue(self.after(history, card, 10, 100.0, 100))
        self.assertTrue(self.after(history, card, 10, 200.0, 100))
        self.assertIsNone(history.bytes())
        self.assertEqual(len(card.said), 2)
        card.cuda.memory._record_memory_history(None)
        self.assertFalse(history.kept)
        self.assertTrue(self.after(history, card, 60, 300.0, 100))
        self.assertEqual(card.said[-1][0], "all")

    def test_is_switched_in_the_thread_that_started_CUDA(self):
        card = Card()
        threads = []
        switch = card.cuda.memory._record_memory_history
        card.cuda.memory._record_memory_history = lambda *args, **how: (
            threads.append(threading.current_thread()),
            switch(*args, **how),
        )
        history = History()
        with unittest.mock.patch("highwater._inside.history.EVERY_SECONDS", 0.001):
            history.begin(card)
            history._level = float("inf")  # nothing grows
            card.holds(1)
            history.steps = 100
            until = time.monotonic() + 20
            while len(threads) < 2 and time.monotonic() < until:
                time.sleep(0.001)
        self.assertEqual([args[0] for args in card.said], ["all", None])
        self.assertEqual(threads, [threading.main_thread()] * 2)
        card.cuda.device_count = None  # ends the thread

    def test_with_layers_it_is_kept_for_good_without_stacks(self):
        card = Card()
        self.begun(card, HIGHWATER_LAYERS="1")
        self.assertIsNone(card.said[0][1]["context"])

    def test_its_size_grows_with_allocations_and_ends_with_the_ring(self):
        card = Card()
        card.holds(1)
        card.made(1000, 100)
        history = self.begun(card)
        card.made(1010, 110)
        each = ENTRY + STACK // 3
        self.assertEqual(history.bytes(), 30 * each)
        card.made(5_000_000, 0)
        self.assertEqual(history.bytes(), ENTRIES * each)
        self.after(history, card, 1, 0.0, 100)
        self.after(history, card, 1, 100.0, 100)
        self.assertEqual(history.bytes(), 0)
        self.assertIsNone(History().bytes())


@needs_torch
class Owners(unittest.TestCase):
    def test_blocks_are_named_by_what_holds_them(self):
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
        optimizer = torch.optim.Adam(model.parameters())
        batch = torch.randn(3, 4)
        model(batch).sum().backward()
        optimizer.step()
        result = model(batch)
        bare = torch.nn.functional.linear(batch, model[0].weight)
        address = lambda tensor: tensor.untyped_storage().data_ptr()  # noqa: E731
        weight = model[0].weight
        wanted = {
            address(weight): "parameter",
            address(weight.grad): "gradient",
            address(optimizer.state[weight]["exp_avg"]): "optimizer_state",
            address(model[1].running_mean): "parameter",
            address(result): "activation",
            address(bare.detach()): "activation",
            address(batch): "other",
            12345: "nobody",
        }
        blocks = [{"state": "active_allocated", "address": one} for one in wanted]
        blocks.append({"state": "inactive", "address": address(batch)})
        snapshot = {"segments": [{"blocks": blocks}]}
        with unittest.mock.patch.object(owners, "on_card", lambda tensor: True):
            owners.name_blocks(torch, snapshot)
        self.assertEqual({block["address"]: block["highwater_owner"] for block in blocks[:-1]}, wanted)
        self.assertNotIn("highwater_owner", blocks[-1])


class Array:
    """As JAX's, as far as it is asked."""

    def __init__(self, shape, size, gone=False):
        self.shape, self.dtype, self.nbytes, self._gone = shape, "float32", size, gone

    def is_deleted(self):
        return self._gone

    def devices(self):
        return [types.SimpleNamespace(platform="gpu", id=1)]


class Jax(unittest.TestCase):
    def look(self, started):
        stats = {"bytes_in_use": 70, "peak_bytes_in_use": 90, "bytes_limit": 100}
        devices = [types.SimpleNamespace(id=1, memory_stats=lambda: stats)]
        devices.append(types.SimpleNamespace(id=2, memory_stats=lambda: None))
        arrays = [Array((2, 3), 24), Array((2, 3), 24), Array((9,), 36), Array((9,), 36, gone=True)]
        fake = types.SimpleNamespace(local_devices=lambda: devices, live_arrays=lambda: arrays)
        bridge = types.ModuleType("jax._src.xla_bridge")
        bridge._backends = {"gpu": object()} if started else {}
        name = "jax._src.xla_bridge"
        before = sys.modules.get(name)
        sys.modules[name] = bridge
        try:
            return _jax.Look(fake)()
        finally:
            sys.modules.pop(name) if before is None else sys.modules.__setitem__(name, before)

    def test_is_never_started(self):
        self.assertIsNone(self.look(started=False))

    def test_tells_counters_where_a_device_has_some_and_arrays_by_shape(self):
        values, rows = self.look(started=True)
        counters = {"jax1.in_use": 70, "jax1.peak": 90, "jax1.limit": 100, "jax.live": 84, "jax.arrays": 3}
        self.assertEqual(values, counters)
        self.assertEqual(rows[0], ["[2, 3]", "float32", "gpu:1", "", "", 2, 48])


class Keras(unittest.TestCase):
    def setUp(self):
        self.said = []
        real = _keras.agent
        _keras.agent = types.SimpleNamespace(send=self.said.append)
        self.addCleanup(setattr, _keras, "agent", real)

    def test_counts_batches_of_fit_and_what_a_loop_applies_itself(self):
        steps = _keras.KerasSteps()
        steps.fit(True)
        steps.applied()  # part of a batch
        steps.step()
        steps.fit(False)
        steps.applied()
        self.assertEqual(steps.count, 2)
        self.assertEqual(self.said[0]["kind"], "step")


@needs_torch
class Model(unittest.TestCase):
    def found(self, *modules, train):
        inner = [one for module in modules for one in module.modules()]
        return find_model(torch, [*inner, *(torch.optim.SGD(one.parameters(), lr=0.1) for one in train)])

    def test_is_the_outermost_module_that_is_trained(self):
        inner = nn.Linear(3, 4)
        outer, frozen = nn.Sequential(nn.Sequential(inner)), nn.Linear(900, 900)
        self.assertIs(self.found(outer, frozen, train=[inner]), outer)

    def test_are_several_under_one_roof_where_each_is_trained(self):
        one, other = nn.Linear(3, 4), nn.Conv1d(2, 2, 1)
        roof = self.found(one, other, train=[one, other])
        self.assertEqual({name for name, _ in roof.named_children()}, {"Linear", "Conv1d"})

    def test_is_none_where_nothing_is_trained(self):
        other = torch.optim.SGD([torch.ones(3, requires_grad=True)], lr=0.1)
        self.assertIsNone(find_model(torch, [nn.Linear(3, 4), other]))


@needs_torch
class Tags(unittest.TestCase):
    def test_name_layer_phase_and_iteration_in_the_thread_that_runs(self):
        said = []
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        tagger = Tagger(torch, model, lambda text: said.append((threading.get_ident(), text)), 7)
        loss = model(torch.ones(3, 4)).sum()
        tagger.backward((loss,))
        forward, said[:] = [text for _, text in said], []
        loss.backward()
        backward = [text for _, text in said]
        self.assertEqual(
            [text for text in forward if not text.startswith(("the model", "outside"))],
            ["0 forward #7", "1 forward #7", "2 forward #7"],
        )
        self.assertEqual(forward[-1], "outside the model forward #7")
        self.assertEqual(
            backward,
            ["outside the model backward #7", "2 backward #7", "1 backward #7", "0 backward #7"],
        )
        tagger.phase("optimizer")
        self.assertEqual(said[-1][1], "outside the model optimizer #7")
        tagger.close()
        self.assertEqual(said[-1][1], "")
        said.clear()
        model(torch.ones(3, 4))
        self.assertEqual(said, [])

    def test_change_no_gradient_and_hold_no_graph(self):
        def gradients(tagged):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 2))
            tagger = Tagger(torch, model, lambda _: None, 1) if tagged else None
            model(torch.ones(3, 4)).sum().backward()
            self.assertIsNone(tagger._last if tagger else None)
            return [p.grad.clone() for p in model.parameters()]

        for one, other in zip(gradients(True), gradients(False)):
            self.assertTrue(torch.equal(one, other))

    def test_a_layer_that_fails_leaves_the_one_above_it(self):
        said = []

        class Fails(nn.Module):
            def forward(self, x):
                raise ValueError

        class Tries(nn.Module):
            def __init__(self):
                super().__init__()
                self.fails, self.after = Fails(), nn.Identity()

            def forward(self, x):
                try:
                    self.fails(x)
                except ValueError:
                    pass
                return self.after(x)

        model = Tries()
        Tagger(torch, model, said.append, 1)
        said.clear()
        model(torch.ones(1))
        self.assertEqual(said[-1], "outside the model forward #1")


@needs_torch
class Layers(unittest.TestCase):
    def test_results_are_the_same_to_the_bit_and_nothing_is_printed(self):
        script = """
        import torch
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
        adam = torch.optim.Adam(model.parameters())
        for _ in range(6):
            adam.zero_grad(); model(torch.randn(4, 8)).sum().backward(); adam.step()
        print(model[0].weight.sum().item().hex())
        """
        with tempfile.TemporaryDirectory() as folder:
            ways = {"HIGHWATER_OUT": folder, "HIGHWATER_LAYERS": "1"}
            inject = str(PACKAGE / "highwater" / "_inject")
            alone = run(script)
            followed = run(script, **{**ways, "PYTHONPATH": inject})
            self.assertEqual(followed, alone)
            lines = "".join(open(os.path.join(folder, name)).read() for name in os.listdir(folder))
        self.assertIn('["0.weight","weight",256]', lines)
        self.assertIn('"layers.steps":5', lines)


if __name__ == "__main__":
    sys.exit(unittest.main())
