"""The ways in which people train, each with the figures that it must give."""

import os
import tempfile
import unittest

from needs import needs_torch, quiet, run, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler
    from torch import nn

F32 = 4


def rows(stats, kind):
    start = "memory/%s/" % kind
    return {key[len(start):]: size for key, size in stats.items() if key.startswith(start)}


@needs_torch
class Kinds(unittest.TestCase):
    def once(self, model, train, **options):
        with MemoryProfiler(model, out=quiet(), **options) as profiler:
            train()
            profiler.record_stats()
            return profiler.stats()

    def test_outputs_that_are_tuples_dicts_and_data_classes(self):
        import dataclasses

        @dataclasses.dataclass
        class Output:
            logits: object

        class Model(nn.Module):
            def __init__(self, wrap):
                super().__init__()
                self.fc = nn.Linear(4, 4)
                self.wrap = wrap

            def forward(self, x):
                return self.wrap(self.fc(x))

        for wrap, get in (
            (lambda t: (t, None), lambda out: out[0]),
            (lambda t: {"a": [t]}, lambda out: out["a"][0]),
            (Output, lambda out: out.logits),
        ):
            model = Model(wrap)
            x = torch.randn(2, 4)
            stats = self.once(model, lambda: get(model(x)).pow(2).sum().backward())
            self.assertEqual(stats["memory/feature_map/outside the model"], 2 * 4 * F32)
            self.assertEqual(stats["memory/intermediate_gradients"], 2 * 4 * F32)

    def test_no_gradients_yet_frozen_weights_and_evaluation(self):
        model, (x,) = models.build("mlp")
        model[0].requires_grad_(False)

        def evaluate():
            with torch.no_grad():
                model(x)

        stats = self.once(model, evaluate)
        self.assertEqual(set(rows(stats, "gradient").values()), {0})
        self.assertEqual(stats["memory/total_feature_map_usage"], 0)
        stats = self.once(model, lambda: model(x).sum().backward())
        self.assertEqual(
            rows(stats, "gradient"), {"0.weight": 0, "0.bias": 0, "2.weight": 1200, "2.bias": 40}
        )
        # The frozen half saves nothing but what the second weight needs.
        self.assertEqual(stats["memory/total_feature_map_usage"], 16 * 30 * F32)

    def test_gradients_that_are_gone_when_figures_are_taken(self):
        model, batch = models.build("mlp")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        size = sum(models.nbytes(p) for p in model.parameters())
        for to_none in (True, False):

            def train():
                models.step(model, batch, optimizer)
                optimizer.zero_grad(set_to_none=to_none)

            with MemoryProfiler(model, out=quiet()) as profiler:
                for _ in range(2):
                    train()
                    profiler.record_stats()
                self.assertEqual(profiler.stats()["memory/total_layer_weight_gradient_usage"], size)
                self.assertEqual(profiler.live()["gradient"], 0 if to_none else size)

    def test_gradient_accumulation(self):
        model, (x,) = models.build("mlp")

        def train():
            for _ in range(3):
                model(x).pow(2).sum().backward()

        stats = self.once(model, train)
        self.assertEqual(stats["memory/total_feature_map_usage"], 16 * 40 * F32)
        stats = self.once(model, lambda: sum(model(x).pow(2).sum() for _ in range(3)).backward())
        # Three graphs at once; they share nothing but the input.
        self.assertEqual(stats["memory/total_feature_map_usage"], 3 * 16 * 40 * F32)
        self.assertEqual(stats["memory/feature_map/1"], 3 * 16 * 30 * F32)

    def test_the_peak_and_its_layer(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1000), nn.ReLU(), nn.Linear(1000, 1))
        x = torch.randn(500, 4)
        with MemoryProfiler(model, out=quiet()) as profiler:
            model(x).sum().backward()
            profiler.record_stats()
            self.assertIn(profiler.peak_layer, ("3", "2"))
            stats = profiler.stats()
        # Both large tensors of the backward pass with the map that is kept.
        self.assertGreaterEqual(stats["memory/peak"], 3 * 500 * 1000 * F32)
        # With the single 1.0 that the pass began with, if that is still there.
        self.assertIn(stats["memory/intermediate_gradients"] - 2 * 500 * 1000 * F32, (0, F32))

    def test_views_and_big_storages_count_once(self):
        data = torch.randn(1000, 20)
        model, _ = models.build("mlp")
        stats = self.once(model, lambda: model(data[:16]).pow(2).sum().backward())
        # The input keeps the whole data alive, and is no map of a layer.
        self.assertEqual(stats["memory/model_inputs"], models.nbytes(data))
        self.assertEqual(stats["memory/total_feature_map_usage"], 16 * 40 * F32)

    def test_parameters_that_are_views_of_one_storage(self):
        flat = torch.randn(100)

        class Flat(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Parameter(flat[10:40])
                self.b = nn.Parameter(flat[40:60].view(4, 5))
                self.c = nn.Parameter(flat[30:50])

        stats = self.once(Flat(), lambda: None)
        # c lies on a and b; what nobody names goes with the first.
        self.assertEqual(rows(stats, "weight"), {"a": 80 * F32, "b": 20 * F32, "c": 0})
        self.assertEqual(stats["memory/total_weight_usage"], 400)

    def test_autocast_keeps_half_sized_maps(self):
        model, (x,) = models.build("mlp")

        def train():
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(x).float().pow(2).sum()
            loss.backward()

        stats = self.once(model, train)
        self.assertEqual(stats["memory/feature_map/1"], 16 * 30 * 2)
        # Autograd keeps the cast copies of inputs and weights too: 16×20 and, transposed, 10×30.
        self.assertEqual(stats["memory/feature_map/0"], 16 * 20 * 2)
        self.assertEqual(stats["memory/feature_map/2"], 10 * 30 * 2)
        self.assertEqual(stats["memory/total_layer_weight_gradient_usage"], (30 * 21 + 10 * 31) * F32)

    def test_sparse_gradients(self):
        model = nn.Embedding(1000, 8, sparse=True)
        stats = self.once(model, lambda: model(torch.tensor([1, 2, 3])).sum().backward())
        self.assertEqual(stats["memory/gradient/weight"], 3 * 8 * F32 + 3 * 8)

    def test_a_model_on_meta_holds_nothing(self):
        with torch.device("meta"):
            model = nn.Sequential(nn.Linear(10, 10), nn.BatchNorm1d(10))
        stats = self.once(model, lambda: model(torch.empty(4, 10, device="meta")).sum().backward())
        for name in ("weight", "buffer", "gradient", "feature_map"):
            self.assertEqual(set(rows(stats, name).values()), {0}, name)

    def test_a_lazy_layer(self):
        model = nn.Sequential(nn.LazyLinear(3))
        stats = self.once(model, lambda: model(torch.randn(2, 5)).sum().backward())
        self.assertEqual(rows(stats, "weight"), {"0.weight": 60, "0.bias": 12})

    def test_a_given_optimizer_is_counted_before_its_first_step(self):
        model, batch = models.build("mlp")
        optimizer = torch.optim.Adagrad(model.parameters())  # makes its state at once
        size = sum(models.nbytes(p) + F32 for p in model.parameters())
        stats = self.once(model, lambda: None, optimizer=optimizer)
        self.assertEqual(stats["memory/total_optimizer_state_usage"], size)
        stats = self.once(model, lambda: None, optimizer=[optimizer])
        self.assertEqual(stats["memory/total_optimizer_state_usage"], size)

    def test_an_optimizer_of_another_model_is_not_ours(self):
        model, batch = models.build("mlp")
        other, _ = models.build("mlp")
        optimizer = torch.optim.Adam(other.parameters())
        stats = self.once(model, lambda: models.step(other, batch, optimizer))
        self.assertEqual(stats["memory/total_optimizer_state_usage"], 0)

    @unittest.skipIf(torch is not None and torch.__version__.startswith("2.0."), "needs torch 2.1")
    def test_a_compiled_model_gives_totals(self):
        model, (x,) = models.build("mlp")
        expected = model(x).pow(2).mean()
        expected.backward()
        gradients = [p.grad.clone() for p in model.parameters()]
        for wrapped in (False, True):
            model.zero_grad()
            compiled = torch.compile(model, backend="aot_eager")
            with MemoryProfiler(compiled if wrapped else model, out=quiet()) as profiler:
                for _ in range(2):
                    model.zero_grad()
                    loss = compiled(x).pow(2).mean()
                    loss.backward()
                    profiler.record_stats()
                stats = profiler.stats()
            self.assertTrue(torch.allclose(loss, expected))
            self.assertTrue(all(torch.allclose(p.grad, g) for p, g in zip(model.parameters(), gradients)))
            self.assertEqual(stats["memory/total_weight_usage"], (30 * 21 + 10 * 31) * F32)
            self.assertEqual(stats["memory/total_layer_weight_gradient_usage"], (30 * 21 + 10 * 31) * F32)
            self.assertGreaterEqual(stats["memory/total_feature_map_usage"], 16 * 40 * F32)

    def test_distributed_data_parallel(self):
        script = """
            import sys, torch, torch.distributed as dist
            from highwater import MemoryProfiler
            dist.init_process_group("gloo", init_method="file://" + sys.argv[1], rank=0, world_size=1)
            for views in (False, True):
                model = torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.ReLU(), torch.nn.Linear(30, 10))
                ddp = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=views)
                optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
                with MemoryProfiler(ddp, out=open("/dev/null", "w")) as profiler:
                    for _ in range(3):
                        optimizer.zero_grad()
                        ddp(torch.randn(16, 20)).pow(2).sum().backward()
                        optimizer.step()
                        profiler.record_stats()
                    stats = profiler.stats()
                print(stats["memory/gradient/0.weight"] >= 2400, stats["memory/gradient/2.bias"],
                      stats["memory/total_layer_weight_gradient_usage"], stats["memory/feature_map/1"])
            dist.destroy_process_group()
        """
        with tempfile.TemporaryDirectory() as folder:
            wrapped = "import sys; sys.argv = ['x', %r]\n" % os.path.join(folder, "store")
            import textwrap

            code, out, errors = run(wrapped + textwrap.dedent(script))
        self.assertEqual(code, 0, errors)
        plain, views = [line.split() for line in out.splitlines()]
        self.assertEqual(plain, ["True", "40", "3760", "1920"])
        self.assertEqual((views[0], views[3]), ("True", "1920"))
        # A bucket may be a little larger than what lies in it.
        self.assertTrue(3760 <= int(views[2]) <= 3760 + 512, views)


if __name__ == "__main__":
    unittest.main()
