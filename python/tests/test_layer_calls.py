"""The ways in which a model is called: several times, without gradients, with layers that came later."""

import unittest
import warnings
import weakref

from ends import needs_ends
from needs import needs_torch, quiet, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler
    from torch import nn
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten

F32 = 4


if torch is not None:

    class Made(TorchDispatchMode):
        """Bytes of all that operations make and is not yet gone: what the profiler's figures are held against."""

        def __init__(self):
            super().__init__()
            self.now = self.most = 0
            self._known = {}

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            made = operation(*args, **(kwargs or {}))
            given = {one.untyped_storage()._cdata for one in tree_flatten(args)[0] if isinstance(one, torch.Tensor)}
            for tensor in tree_flatten(made)[0]:
                storage = tensor.untyped_storage() if isinstance(tensor, torch.Tensor) else None
                if storage is not None and storage._cdata not in self._known and storage._cdata not in given:
                    self._add(storage, storage.nbytes())
            return made

        def _add(self, storage, size):
            key = storage._cdata

            def gone(_):
                del self._known[key]
                self.now -= size

            self._known[key] = weakref.ref(storage, gone)
            self.now += size
            self.most = max(self.most, self.now)


def followed(model, train, iterations=2):
    with MemoryProfiler(model, out=quiet(), every=1) as profiler:
        for _ in range(iterations):
            train()
            profiler.record_stats()
        return {name[len("memory/"):]: size for name, size in profiler.stats().items()}


def trained(profiler, model, x):
    """What is told after one more iteration."""
    model.zero_grad()
    model(x).pow(2).sum().backward()
    profiler.record_stats()
    return profiler.stats()


@needs_torch
class Calls(unittest.TestCase):
    def test_gradients_between_layers_do_not_add_up_from_pass_to_pass(self):
        for model, x in (
            (nn.Linear(10, 50), torch.randn(20, 10)),
            (nn.Sequential(nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 30)), torch.randn(16, 30)),
        ):

            def train(passes):
                model.zero_grad()
                losses = [model(x).pow(2).sum() for _ in range(passes)]
                for loss in losses:
                    loss.backward()

            once = followed(model, lambda: train(1))
            several = followed(model, lambda: train(3))
            self.assertEqual(several["intermediate_gradients"], once["intermediate_gradients"])
        self.assertEqual(once["intermediate_gradients"], 2 * 16 * 30 * F32)

    def test_each_input_of_a_siamese_net_counts_for_as_long_as_it_lives(self):
        model, _ = models.build("mlp")
        size = 16 * 20 * F32

        def apart():
            a, b, c = (model(torch.randn(16, 20)) for _ in range(3))
            ((a - b).pow(2) - (a - c).pow(2)).sum().backward()

        def one_after_the_other():
            for _ in range(3):
                model(torch.randn(16, 20)).sum().backward()

        x = torch.randn(16, 20)
        # The graphs of the first keep all three; with a view of the second's it is the same memory.
        self.assertEqual(followed(model, apart)["model_inputs"], 3 * size)
        self.assertEqual(followed(model, one_after_the_other)["model_inputs"], size)
        self.assertEqual(followed(model, lambda: (model(x), model(x[:8]), model(x.view(8, 40)[:, :20])))["model_inputs"], size)

    def test_an_input_that_the_loss_uses_is_no_feature_map(self):
        model = nn.Sequential(nn.Linear(20, 5), nn.Tanh(), nn.Linear(5, 20))
        x = torch.randn(16, 20)
        stats = followed(model, lambda: nn.functional.mse_loss(model(x), x).backward())
        self.assertEqual(stats["feature_map/outside the model"], 16 * 20 * F32)  # what the model made
        self.assertEqual(stats["model_inputs"], 16 * 20 * F32)

    def test_what_one_model_made_is_no_input_of_the_next(self):
        generator, judge = nn.Sequential(nn.Linear(4, 20), nn.Tanh()), nn.Linear(20, 1)
        both = nn.ModuleDict({"generator": generator, "judge": judge})
        noise = torch.randn(16, 4)

        def train():
            made = generator(noise)
            judge(made.detach()).sum().backward()
            judge(made).sum().backward()

        stats = followed(both, train)
        self.assertEqual(stats["model_inputs"], models.nbytes(noise))
        # Tanh's result, which both calls of the judge keep too.
        self.assertEqual(stats["total_feature_map_usage"], 16 * 20 * F32)

    @needs_ends
    def test_without_gradients_outputs_are_all_there_is(self):
        model, (x,) = models.build("mlp")
        weights = sum(models.nbytes(p) for p in model.parameters())
        for context in (torch.no_grad, torch.inference_mode):
            with context(), Made() as made:
                model(x)
            out = quiet()
            with MemoryProfiler(model, out=out) as profiler:
                with context():
                    model(x)
                profiler.record_stats()
                stats = profiler.stats()
            # The result of the ReLU lives until the last layer has made its own.
            self.assertEqual(stats["memory/layer_outputs"], 16 * (30 + 30) * F32)
            self.assertEqual(stats["memory/layer_outputs"], made.most)
            self.assertEqual(stats["memory/peak"], weights + models.nbytes(x) + made.most)
            self.assertEqual(stats["memory/total_feature_map_usage"], 0)
            self.assertIn("Layer outputs, not kept............0.004 MB\n  called without gradients: none is kept\n", out.getvalue())

    @needs_ends
    def test_a_frozen_half_makes_outputs_that_are_not_kept(self):
        model = nn.Sequential(nn.Linear(20, 500), nn.ReLU(), nn.Linear(500, 10), nn.ReLU(), nn.Linear(10, 1))
        model[:3].requires_grad_(False)
        x = torch.randn(16, 20)
        with Made() as made:
            model(x)
        stats = followed(model, lambda: model(x).sum().backward())
        self.assertEqual(stats["layer_outputs"], 2 * 16 * 500 * F32)
        self.assertEqual(stats["layer_outputs"], made.most)
        self.assertEqual(stats["total_feature_map_usage"], 16 * 10 * F32)

    def test_an_output_that_is_kept_counts_once(self):
        model, (x,) = models.build("mlp")
        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            result = model(x)
            ledger = profiler._watch._tracker.ledger
            ledger.settle()
            # ReLU's is kept by autograd; the result is the program's, until it squares it.
            self.assertEqual((ledger.saved, ledger._loose), (16 * 30 * F32, 16 * 10 * F32))
            loss = result.pow(2).sum()
            ledger.settle()
            self.assertEqual((ledger.saved, ledger._loose), (16 * 40 * F32, 0))
            loss.backward()
            ledger.settle()
            self.assertEqual((ledger.saved, ledger._loose), (0, 16 * 10 * F32))
            del result
            profiler.record_stats()
            self.assertEqual((ledger._loose, ledger._outputs, profiler._watch._tracker._output_refs), (0, {}, {}))


@needs_torch
class Changes(unittest.TestCase):
    """Models that are changed while they are watched."""

    def test_layers_that_come_later_count_and_those_that_go_do_not(self):
        model = nn.Sequential(nn.Linear(20, 20), nn.ReLU())
        x = torch.randn(16, 20)
        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            trained(profiler, model, x)
            model.append(nn.Linear(20, 50))
            model.append(nn.Tanh())
            stats = trained(profiler, model, x)
            self.assertEqual(stats["memory/weight/2.weight"], 20 * 50 * F32)
            self.assertEqual(stats["memory/gradient/2.weight"], 20 * 50 * F32)
            self.assertEqual(stats["memory/feature_map/3"], 16 * 50 * F32)
            self.assertEqual(stats["memory/total_weight_usage"], (20 * 21 + 21 * 50) * F32)
            model[3] = nn.Sequential(nn.Linear(50, 4), nn.Tanh())
            stats = trained(profiler, model, x)
            self.assertEqual(stats["memory/weight/3.0.weight"], 50 * 4 * F32)
            self.assertEqual(stats["memory/feature_map/3.1"], 16 * 4 * F32)
            del model[2:]
            stats = trained(profiler, model, x)
            self.assertNotIn("memory/weight/2.weight", stats)
            self.assertEqual(stats["memory/total_weight_usage"], 20 * 21 * F32)
        self.assertEqual([len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()], [0] * 3)

    def test_modules_that_quantization_puts_in_their_place(self):
        model, (x,) = models.build("mlp")
        with MemoryProfiler(model, out=quiet(), every=1) as profiler, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.qconfig = torch.ao.quantization.get_default_qat_qconfig("fbgemm")
            # Hands the hooks of each layer on to the new one, in a way of its own.
            torch.ao.quantization.prepare_qat(model.train(), inplace=True)
            model(x).sum().backward()
            profiler.record_stats()
            stats = profiler.stats()
        self.assertEqual(stats["memory/total_weight_usage"], (30 * 21 + 10 * 31) * F32)
        self.assertEqual(stats["memory/total_buffer_usage"], sum(models.nbytes(b) for b in model.buffers()))
        model(x).sum().backward()

    def test_figures_are_right_again_after_ctrl_c(self):
        class Stops(nn.Module):
            now = False

            def forward(self, x):
                if self.now:
                    raise KeyboardInterrupt
                return x

        stops = Stops()
        model = nn.Sequential(nn.Linear(20, 30), stops, nn.ReLU(), nn.Linear(30, 10))
        x = torch.randn(16, 20)
        def figures():
            stats = trained(profiler, model, x)
            return {name: size for name, size in stats.items() if "resident" not in name and "detail" not in name}

        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            right = figures()
            stops.now = True
            with self.assertRaises(KeyboardInterrupt):
                model(x)
            stops.now = False
            figures()
            self.assertEqual(figures(), right)

    def test_models_under_a_roof_that_nobody_holds(self):
        one, other = nn.Linear(4, 3), nn.Linear(3, 2)
        x = torch.randn(5, 4)
        profiler = MemoryProfiler(nn.ModuleDict({"one": one, "other": other}), out=quiet(), every=1)
        one.extra = nn.Linear(9, 9)
        other(one(x)).pow(2).sum().backward()
        profiler.record_stats()
        stats = profiler.stats()
        profiler.close()
        self.assertEqual(stats["memory/weight/one.extra.weight"], 81 * F32)
        self.assertEqual(stats["memory/gradient/other.weight"], 6 * F32)
        self.assertEqual(stats["memory/total_weight_usage"], (15 + 90 + 8) * F32)


if __name__ == "__main__":
    unittest.main()
