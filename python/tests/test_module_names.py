"""Names of modules as the program's author wrote them, whatever was put around a model; compiled regions as one layer."""

import unittest

from needs import needs_torch, quiet, run, torch

if torch is not None:
    from highwater import MemoryProfiler
    from highwater._module_names import named_modules, named_tensors
    from highwater._profiler.counters import Counters
    from highwater._profiler.hooks import watched
    from highwater._profiler.messages import _rows
    from highwater._inside.tagging import Tagger
    from torch import nn
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
    from torch.optim.swa_utils import AveragedModel

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.act, self.down = nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 8)

        def forward(self, x):
            return self.down(self.act(self.up(x)))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(2))
            self.head = nn.Linear(8, 2)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    class Adapter(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.base_layer = layer
            self.lora_A = nn.Linear(layer.in_features, 2, bias=False)
            self.lora_B = nn.Linear(2, layer.out_features, bias=False)

        def forward(self, x):
            return self.base_layer(x) + self.lora_B(self.lora_A(x))


def compiled(module):
    return torch.compile(module, backend="aot_eager")


def names(model):
    return [name for name, _ in named_tensors(list(named_modules(model)), "_parameters")]


def layers_of(model, x, steps=3, called=None):
    """{layer: bytes of its feature maps} of the last of some steps, each followed."""
    called = called or model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with MemoryProfiler(model, out=quiet(), every=1, optimizer=optimizer) as profiler:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = called(x).pow(2).sum()
            loss.backward()
            optimizer.step()
            profiler.record_stats()
        stats = profiler.stats()
    kept = "memory/feature_map/"
    return {name[len(kept) :]: size for name, size in stats.items() if name.startswith(kept) and size > 0}, stats


@needs_torch
class Names(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Net()
        self.plain = [name for name, _ in self.model.named_parameters()]

    def test_of_a_model_that_nothing_is_around(self):
        self.assertEqual(names(self.model), self.plain)
        self.assertEqual([name for name, _, _ in named_modules(self.model)], [name for name, _ in self.model.named_modules()])

    def test_wrappers_are_looked_through(self):
        wrapped = {
            "compiled": compiled(self.model),
            "averaged": AveragedModel(self.model),
            "data parallel": nn.DataParallel(self.model),
            "compiled data parallel": compiled(nn.DataParallel(self.model)),
        }
        for how, model in wrapped.items():
            with self.subTest(how):
                self.assertEqual(names(model), self.plain)

    def test_of_parts_and_one_within_another(self):
        for i in range(2):
            self.model.blocks[i] = compiled(checkpoint_wrapper(self.model.blocks[i]))
        model = compiled(nn.DataParallel(self.model))
        self.assertEqual(names(model), self.plain)
        self.assertIn("_orig_mod.module.blocks.0._orig_mod._checkpoint_wrapped_module.up", [p for _, p, _ in named_modules(model)])

    def test_an_adapter_s_layer_has_the_name_that_it_had(self):
        self.model.blocks[0].up = Adapter(self.model.blocks[0].up)
        found = names(self.model)
        self.assertEqual([name for name in found if "lora" not in name], self.plain)
        self.assertIn("blocks.0.up.lora_A.weight", found)

    def test_peft_s_model_its_tuner_and_a_layer_that_it_trains_a_copy_of(self):
        def stand_in(module, name, **children):
            made = type(name, (nn.Module,), {"__module__": module})()
            for key, child in children.items():
                made.add_module(key, child)
            return made

        copy = nn.ModuleDict({"default": nn.Linear(8, 2)})
        self.model.head = stand_in("peft.utils.other", "ModulesToSaveWrapper", original_module=self.model.head, modules_to_save=copy)
        tuner = stand_in("peft.tuners.tuners_utils", "BaseTuner", model=self.model)
        found = names(stand_in("peft.peft_model", "PeftModel", base_model=tuner))
        originals = ["head.original_module.weight", "head.original_module.bias"]
        self.assertEqual(found, [*self.plain[:-2], *originals, "head.weight", "head.bias"])
        copy["other"] = nn.Linear(8, 2)
        self.assertIn("head.other.weight", names(self.model))

    def test_no_two_tensors_have_one_name(self):
        adapter = self.model.blocks[0].up = Adapter(self.model.blocks[0].up)
        adapter.weight = nn.Parameter(torch.ones(3))
        found = names(self.model)
        self.assertEqual(len(found), len(set(found)))
        self.assertIn("blocks.0.up.base_layer.weight", found)

    def test_a_child_of_the_same_word_in_a_class_of_the_program_s_own_stays(self):
        class Mine(nn.Module):
            def __init__(self, module):
                super().__init__()
                self.module = module

        self.assertEqual(names(Mine(self.model)), ["module." + name for name in self.plain])

    def test_tied_weights_are_told_by_such_names(self):
        self.model.blocks[1].up.weight = self.model.blocks[0].up.weight
        with MemoryProfiler(compiled(self.model), out=quiet(), every=1) as profiler:
            profiler.record_stats()
            profiler.stats()
            self.assertEqual(profiler._latest.shared, [("blocks.1.up.weight", "blocks.0.up.weight")])


@needs_torch
@unittest.skipIf(torch is not None and torch.__version__.startswith("2.0."), "needs torch 2.1")
class Regions(unittest.TestCase):
    """Feature maps are those of what was compiled, never of a layer that did not save them."""

    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        self.model, self.x = Net(), torch.randn(16, 8)
        self.addCleanup(torch._dynamo.reset)

    def test_a_whole_model(self):
        found, stats = layers_of(compiled(self.model), self.x)
        self.assertGreater(found.pop("the model itself (compiled)"), 2 * 16 * 32 * 4)
        self.assertEqual(set(found), {"outside the model"})
        self.assertEqual(stats["memory/weight/blocks.0.up.weight"], 8 * 32 * 4)

    def test_parts(self):
        for i in range(2):
            self.model.blocks[i] = compiled(self.model.blocks[i])
        self.check_parts()

    def test_parts_in_place(self):
        for block in self.model.blocks:
            block.compile(backend="aot_eager")
        calls = [block._compiled_call_impl for block in self.model.blocks]
        self.check_parts()
        self.assertEqual([block._compiled_call_impl for block in self.model.blocks], calls)

    def check_parts(self):
        plain, _ = layers_of(Net(), self.x)
        found, _ = layers_of(self.model, self.x)
        self.assertEqual({name for name in found if "blocks" in name}, {"blocks.0 (compiled)", "blocks.1 (compiled)"})
        self.assertEqual(found["head"], plain["head"])
        for name in ("blocks.0 (compiled)", "blocks.1 (compiled)"):
            self.assertGreaterEqual(found[name], 16 * 32 * 4)
        self.assertNotIn("the model itself", found)

    def test_what_is_in_place_gives_the_same_and_raises_the_same(self):
        for block in self.model.blocks:
            block.compile(backend="aot_eager")
        bare = [self.model(self.x).sum().item() for _ in range(2)]
        with MemoryProfiler(self.model, out=quiet(), every=1) as profiler:
            self.assertEqual([self.model(self.x).sum().item() for _ in range(2)], bare)
            with self.assertRaises(TypeError):
                self.model.blocks[0](nonsense=1)
            self.assertEqual(profiler._watch._tracker.local.stack, [])
            profiler.record_stats()

    def test_a_function_that_has_the_model_in_it(self):
        def forward_of_mine(x):
            return self.model(x)

        found, _ = layers_of(self.model, self.x, called=torch.compile(forward_of_mine, backend="aot_eager"))
        [region] = [name for name in found if name.endswith("(compiled)")]
        self.assertIn("forward_of_mine", region)
        self.assertGreater(found[region], 2 * 16 * 32 * 4)

    def test_an_adapter_beside_a_compiled_layer_is_still_seen(self):
        up = self.model.blocks[0].up
        self.model.blocks[0].up = Adapter(up)
        self.model.blocks[0].up.base_layer = compiled(up)
        layers = [layer for layer, _ in watched(named_modules(self.model))]
        self.assertIn("blocks.0.up (compiled)", layers)
        self.assertIn("blocks.0.up.lora_A", layers)

    def test_checkpointed_parts_hold_their_inputs_only(self):
        self.model.blocks[0] = compiled(checkpoint_wrapper(self.model.blocks[0]))
        found, _ = layers_of(self.model, self.x)
        self.assertLess(found.get("blocks.0 (compiled)", 0), 16 * 32 * 4)

    def test_tags_of_allocations_have_such_names_too(self):
        self.model.blocks[0] = compiled(self.model.blocks[0])
        said = []
        tagger = Tagger(torch, compiled_outside(self.model), said.append, 1)
        self.addCleanup(tagger.close)
        self.model(self.x).sum().backward()
        told = {text.rpartition(" forward")[0] for text in said if " forward " in text}
        self.assertTrue({"blocks.0 (compiled)", "blocks.1.up", "head"} <= told, told)
        self.assertFalse(any("_orig_mod" in text or "module." in text for text in said))


def compiled_outside(model):
    """Under a wrapper that is not compiled."""
    return nn.DataParallel(model)


@needs_torch
class Sharded(unittest.TestCase):
    def test_each_process_tells_its_own_shards_also_while_whole_ones_are_gathered(self):
        try:
            from torch.distributed.fsdp import fully_shard  # noqa: F401
        except ImportError:
            self.skipTest("needs fully_shard")
        code, out, errors = run(
            """
            import os, sys, tempfile, torch, torch.distributed as dist, torch.multiprocessing as mp
            from torch import nn

            def main(rank, store):
                from torch.distributed.device_mesh import init_device_mesh
                from torch.distributed.fsdp import fully_shard
                from highwater import MemoryProfiler
                dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=2)
                mesh = init_device_mesh("cpu", (2,))
                model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 8))
                fully_shard(model[0], mesh=mesh)
                fully_shard(model, mesh=mesh)
                adam = torch.optim.Adam(model.parameters())
                with MemoryProfiler(model, out=open(os.devnull, "w"), every=1) as profiler:
                    for _ in range(4):
                        adam.zero_grad()
                        model(torch.ones(4, 8)).sum().backward()
                        adam.step()
                        profiler.record_stats()
                    stats, peak = profiler.stats(), profiler._latest.peak.parts
                if rank == 0:
                    for name in ("0.weight", "2.weight", "2.bias"):
                        print(name, *(stats["memory/%s/%s" % (kind, name)] for kind in ("weight", "gradient")))
                    print(stats["memory/total_optimizer_state_usage"] >= 2 * stats["memory/total_weight_usage"])
                    print(peak["weight"], peak["optimizer"] == stats["memory/total_optimizer_state_usage"])
                dist.destroy_process_group()

            if __name__ == "__main__":
                with tempfile.TemporaryDirectory() as folder:
                    mp.start_processes(main, (os.path.join(folder, "store"),), nprocs=2, start_method="fork")
            """
        )
        self.assertEqual(code, 0, errors)
        lines = out.splitlines()
        self.assertEqual(lines[0], "0.weight %d %d" % (8 * 64 * 4 / 2, 8 * 64 * 4 / 2))
        self.assertEqual(lines[1].split()[:2], ["2.weight", str(8 * 64 * 4 // 2)])
        self.assertEqual(lines[3], "True")
        self.assertEqual(lines[4], "%d True" % ((8 * 64 * 2 + 64 + 8) * 4 / 2))


class Card:
    """What torch.cuda tells of a card, as it goes."""

    def __init__(self):
        self.allocated = self.reserved = self.highest = 0

    def memory_stats_as_nested_dict(self, _device):
        self.highest = max(self.highest, self.allocated)
        row = {"current": self.allocated, "peak": self.highest}
        return {"allocated_bytes": {"all": row}, "reserved_bytes": {"all": {"current": self.reserved, "peak": self.reserved}}}


@needs_torch
class CachedAtThePeak(unittest.TestCase):
    """What is free beside the peak is that of its moment: at the end of a step nearly all is free."""

    def test_parts_and_what_was_free_then_make_up_what_was_reserved(self):
        class Torch:
            cuda = Card()

        counters = Counters(Torch)
        counters.devices = (0,)
        counters.parts = lambda: {"weight": 100, "feature_map": 400}
        Torch.cuda.allocated, Torch.cuda.reserved = 600, 650
        counters.at("fc", "forward")
        Torch.cuda.allocated = 100
        counters.at("fc", "backward")
        self.assertEqual((counters.peak.bytes, counters.peak.cached), (600, 50))
        model = nn.Linear(2, 2)
        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            profiler.record_stats()
            profiler.stats()
            snapshot = profiler._latest
        snapshot.allocated, snapshot.cached, snapshot.peak = 100, 650, counters.peak
        rows = _rows(snapshot)
        at_peak = {name: size for (name, kind), size in rows.items() if kind == "at_peak"}
        self.assertEqual(at_peak, {"weight": 100, "feature_map": 400, "other": 100, "cached": 50})
        self.assertEqual(sum(at_peak.values()), 650)


if __name__ == "__main__":
    unittest.main()
