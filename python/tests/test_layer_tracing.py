"""Models that are compiled, scripted, traced or exported while they are watched: nothing of ours is in the way."""

import copy
import gc
import io
import os
import sys
import tempfile
import unittest
import warnings

from needs import needs_torch, quiet, run, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler
    from highwater._compiling import inside_compiled
    from highwater._inside import owners
    from highwater._inside.tagging import Tagger
    from highwater._profiler.holdings import Parts
    from highwater._sizes.arrays import Arrays
    from torch import nn
    from torch._dynamo import mutation_guard
    from torch._dynamo.utils import counters
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    # Before, it cannot be known that a step of the optimizer is compiled.
    NEW = tuple(int(word) for word in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 8)


class Warned:
    """What torch would have written on the program's standard error."""

    def __enter__(self):
        self._always = torch.is_warn_always_enabled()
        torch.set_warn_always(True)
        self._caught = warnings.catch_warnings(record=True)
        self.said = self._caught.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, *_):
        self._caught.__exit__(None, None, None)
        torch.set_warn_always(self._always)

    def texts(self):
        return [str(one.message) for one in self.said]


@needs_torch
class Fake(unittest.TestCase):
    """torch.compile leaves tensors without memory among the program's objects."""

    def test_their_address_is_not_asked_for(self):
        # Made without the factory function, for which torch 2.1 wants a driver.
        fake = FakeTensor(FakeTensorMode(), torch.empty(10, device="meta"), torch.device("cuda:0"))
        with Warned() as warned:
            owners.name_blocks(torch, {"segments": []})
            self.assertEqual(Arrays().find(torch.UntypedStorage)(fake.untyped_storage()), ([], []))
        self.assertEqual(warned.texts(), [])

    def test_nor_is_that_of_a_fake_model_s_weights(self):
        with FakeTensorMode():
            model = nn.Linear(4, 3)
        with Warned() as warned:
            self.assertIsNone(Parts(torch, model).stamp())
        self.assertEqual(warned.texts(), [])


def hooks(model):
    return [*model._forward_hooks, *model._forward_pre_hooks]


@needs_torch
class Scripted(unittest.TestCase):
    def setUp(self):
        self.model, (self.x,) = models.build("mlp")

    def test_a_watched_model_is_scripted_without_our_hooks(self):
        gc.collect()
        create = torch.jit._recursive.create_script_module  # ours while a profiler of another test lives
        with MemoryProfiler(self.model, out=quiet(), every=1) as profiler:
            before = [hooks(module) for module in self.model.modules()]
            scripted = torch.jit.script(self.model)
            self.assertEqual([hooks(module) for module in self.model.modules()], before)
            self.assertEqual([hooks(module) for module in scripted.modules()], [[]] * 4)
            self.assertTrue(torch.equal(scripted(self.x), self.model(self.x)))
            file = io.BytesIO()
            torch.jit.save(scripted, file)
            self.model(self.x).sum().backward()
            profiler.record_stats()
            self.assertEqual(profiler.stats()["memory/feature_map/1"], 16 * 30 * 4)
        self.assertIs(torch.jit._recursive.create_script_module, create)

    def test_hooks_of_the_program_are_scripted_as_ever(self):
        def mine(self, input: tuple[torch.Tensor], output: torch.Tensor):
            return output * 2

        self.model.register_forward_hook(mine)
        with MemoryProfiler(self.model, out=quiet()):
            scripted = torch.jit.script(self.model)
        self.assertTrue(torch.equal(scripted(self.x), self.model(self.x)))

    def test_a_scripted_model_is_watched_as_one_layer(self):
        scripted = torch.jit.script(self.model)
        with MemoryProfiler(scripted, out=quiet(), every=1) as profiler:
            for _ in range(2):
                scripted.zero_grad()
                scripted(self.x).pow(2).sum().backward()
                profiler.record_stats()
            stats = profiler.stats()
        self.assertEqual(stats["memory/weight/0.weight"], 20 * 30 * 4)
        self.assertEqual(stats["memory/total_layer_weight_gradient_usage"], (30 * 21 + 10 * 31) * 4)
        self.assertEqual(stats["memory/model_inputs"], 16 * 20 * 4)
        self.assertGreaterEqual(stats["memory/feature_map/the model itself"], 16 * 30 * 4)
        self.assertEqual([hooks(module) for module in scripted.modules()], [[]] * 4)

    def test_a_scripted_part(self):
        model = nn.Sequential(nn.Linear(20, 20), torch.jit.script(nn.Sequential(nn.Linear(20, 30), nn.Tanh())))
        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            model(self.x).sum().backward()
            profiler.record_stats()
            self.assertGreaterEqual(profiler.stats()["memory/feature_map/1"], 16 * 30 * 4)

    def test_tracing_and_export_say_nothing_and_give_the_same(self):
        plain = self.model(self.x)
        with MemoryProfiler(self.model, out=quiet(), every=1) as profiler, Warned() as warned:
            with torch.jit.optimized_execution(False):
                traced = torch.jit.trace(self.model, self.x)
            exported = torch.export.export(self.model, (self.x,)).module()
            graph = torch.fx.symbolic_trace(self.model)
            profiler.record_stats()
            self.model(self.x).sum().backward()
            profiler.record_stats()
            self.assertEqual(profiler.stats()["memory/feature_map/1"], 16 * 30 * 4)
        self.assertEqual([text for text in warned.texts() if "deprecated" not in text], [])
        for other in (traced, exported, graph):
            self.assertTrue(torch.equal(other(self.x), plain))


if torch is not None:

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.tanh = nn.Linear(8, 8), nn.Tanh()

        def forward(self, x):
            return self.tanh(self.linear(x))


def start_anew():
    torch._dynamo.reset()
    counters.clear()
    # torch 2.1 remembers of which classes a layer with hooks was compiled, and treats them otherwise from then on.
    getattr(getattr(mutation_guard, "GenerationTracker", None), "dynamic_classes", {}).clear()


@needs_torch
@unittest.skipIf(torch is not None and torch.__version__.startswith("2.0."), "needs torch 2.1")
class Compiled(unittest.TestCase):
    """Hooks that come and go must not have anything compiled anew: torch gives up after eight times."""

    def graphs(self, how, begins):
        """What was compiled in eight iterations; ``begins``: the iteration before which the profiler is made."""
        start_anew()
        torch.manual_seed(0)
        blocks = [Block() for _ in range(3)]
        model = called = nn.Sequential(*blocks, nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if how == "whole":
            called = torch.compile(model, backend="eager")
        elif how == "function":
            called = torch.compile(lambda x: model(x), backend="eager", fullgraph=True)
        elif how == "parts":
            for i in range(3):
                model[i] = torch.compile(model[i], backend="eager")
        elif how == "parts in place":
            for i in range(3):
                model[i].compile(backend="eager")
        elif how == "optimizer":
            optimizer.step = torch.compile(optimizer.step, backend="eager")
        profiler, losses = None, []
        for i in range(8):
            if i == begins:
                wrapped = isinstance(called, nn.Module)
                profiler = MemoryProfiler(called if wrapped else model, out=quiet(), every=2)
            optimizer.zero_grad()
            loss = called(torch.ones(4, 8)).pow(2).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if profiler is not None:
                profiler.record_stats()
        if profiler is not None:
            self.assertGreaterEqual(profiler.stats()["memory/total_feature_map_usage"], 3 * 4 * 8 * 4)
            profiler.close()
        return losses, counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())

    def tearDown(self):
        start_anew()

    def test_asking_costs_no_reference(self):
        asked = inside_compiled(torch)
        before = sys.getrefcount(None)
        for _ in range(1000):
            asked()
        self.assertLess(abs(sys.getrefcount(None) - before), 500)

    def test_nothing_is_compiled_anew(self):
        for how in ("whole", "function", "parts", "parts in place", *(["optimizer"] if NEW else [])):
            plain = self.graphs(how, None)
            for begins in (0, 2):
                with self.subTest(how, begins=begins):
                    losses, graphs, breaks = self.graphs(how, begins)
                    self.assertEqual((losses, graphs), plain[:2])
                    self.assertLessEqual(breaks, 2 * plain[2])


@needs_torch
class Copies(unittest.TestCase):
    """What is made of a model while it is watched has none of our hooks."""

    def test_a_copy_has_no_hooks_but_the_programs(self):
        model, (x,) = models.build("mlp")
        mine = []
        model.register_forward_hook(lambda *_: mine.append(1))
        with MemoryProfiler(model, out=quiet(), every=1):
            twin = copy.deepcopy(model)
            self.assertEqual([len(hooks(module)) for module in twin.modules()], [1, 0, 0, 0])
            self.assertEqual(twin._forward_pre_hooks_with_kwargs, {})
            self.assertGreater(len(hooks(model)), 1)
            twin(x)
        self.assertEqual(mine, [1])

    def test_what_is_saved_works_elsewhere_with_hooks_of_its_own(self):
        # An LSTM says itself what is saved of it, and so passes us by: then what is saved is inert.
        model, (words,) = models.build("lstm")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.pt")
            with MemoryProfiler(nn.Sequential(model), out=quiet(), every=1):
                tagger = Tagger(torch, model, lambda _: None, 1)
                torch.save((model, words), path)
                tagger.close()
            code, out, errors = run(
                """
                import sys, torch
                options = {} if torch.__version__.startswith("2.0") else {"weights_only": False}
                model, words = torch.load(%r, **options)
                called = []
                for module in model.modules():
                    for _ in range(20):
                        module.register_forward_pre_hook(lambda module, args: called.append(1))
                        module.register_forward_hook(lambda module, args, output: called.append(1))
                model(words)
                print(len(called), "highwater" in sys.modules)
                """
                % path
            )
        self.assertEqual((code, out, errors), (0, "%d False\n" % (4 * 40), ""))


if __name__ == "__main__":
    unittest.main()
