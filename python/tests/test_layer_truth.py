"""The profiler's figures against figures that come by other ways: shapes by hand, and a walk of the graph."""

import math
import unittest

from needs import needs_torch, quiet, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler

F32, I64 = 4, 8

# Weights by hand: product of the shape, times four bytes.
WEIGHTS = {
    "mlp": {"0.weight": (30, 20), "0.bias": (30,), "2.weight": (10, 30), "2.bias": (10,)},
    "vgg": {
        "0.weight": (8, 3, 3, 3), "0.bias": (8,), "1.weight": (8,), "1.bias": (8,),
        "4.weight": (16, 8, 3, 3), "4.bias": (16,), "8.weight": (10, 256), "8.bias": (10,),
    },
    "lstm": {
        "embed.weight": (100, 12),
        "lstm.weight_ih_l0": (64, 12), "lstm.weight_hh_l0": (64, 16), "lstm.bias_ih_l0": (64,), "lstm.bias_hh_l0": (64,),
        "lstm.weight_ih_l1": (64, 16), "lstm.weight_hh_l1": (64, 16), "lstm.bias_ih_l1": (64,), "lstm.bias_hh_l1": (64,),
        "head.weight": (5, 16), "head.bias": (5,),
    },
    "transformer": {
        "layers.%d.%s" % (layer, name): shape
        for layer in (0, 1)
        for name, shape in {
            "self_attn.in_proj_weight": (48, 16), "self_attn.in_proj_bias": (48,),
            "self_attn.out_proj.weight": (16, 16), "self_attn.out_proj.bias": (16,),
            "linear1.weight": (32, 16), "linear1.bias": (32,), "linear2.weight": (16, 32), "linear2.bias": (16,),
            "norm1.weight": (16,), "norm1.bias": (16,), "norm2.weight": (16,), "norm2.bias": (16,),
        }.items()
    },
    "neumf": {
        "mf_user_embed.weight": (1000, 8), "mf_item_embed.weight": (200, 8),
        "mlp_user_embed.weight": (1000, 16), "mlp_item_embed.weight": (200, 16),
        "mlp.0.weight": (32, 32), "mlp.0.bias": (32,), "mlp.1.weight": (16, 32), "mlp.1.bias": (16,),
        "mlp.2.weight": (8, 16), "mlp.2.bias": (8,), "final.weight": (1, 16), "final.bias": (1,),
    },
    # twin.weight lies on middle.weight's storage; decoder.weight is encoder.weight.
    "tied": {"encoder.weight": (50, 8), "middle.weight": (8, 8), "middle.bias": (8,), "twin.weight": (0,)},
}
BUFFERS = {"vgg": {"1.running_mean": 8 * F32, "1.running_var": 8 * F32, "1.num_batches_tracked": I64}}


def by_hand(name):
    return {weight: math.prod(shape) * F32 for weight, shape in WEIGHTS[name].items()}


def rows(stats, kind):
    start = "memory/%s/" % kind
    return {key[len(start):]: size for key, size in stats.items() if key.startswith(start)}


def walk(loss, model, batch):
    """Bytes of the storages that the graph keeps, weights, buffers and the batch aside."""
    found, seen, todo = {}, set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [next_node for next_node, _ in node.next_functions]
        if hasattr(node, "variable"):
            continue  # a weight's own node
        names = [name for name in dir(node) if name.startswith("_saved_")]
        saved = [getattr(node, name) for name in names] + list(getattr(node, "saved_tensors", ()))
        for value in saved:
            for tensor in value if isinstance(value, (tuple, list)) else [value]:
                if isinstance(tensor, torch.Tensor):
                    storage = tensor.untyped_storage()
                    found[storage.data_ptr()] = storage.nbytes()
    for tensor in [*model.parameters(), *model.buffers(), *batch]:
        found.pop(tensor.untyped_storage().data_ptr(), None)
    found.pop(0, None)
    return sum(found.values())


@needs_torch
class Truth(unittest.TestCase):
    def profile(self, name, optimizer="Adam", iterations=2, **options):
        model, batch = models.build(name)
        if optimizer == "Adam":
            optimizer = torch.optim.Adam(model.parameters())
        else:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        with MemoryProfiler(model, out=quiet(), **options) as profiler:
            for _ in range(iterations):
                models.step(model, batch, optimizer)
                profiler.record_stats()
            return profiler.stats()

    def test_weights_gradients_and_buffers_are_what_shapes_say(self):
        for name in models.ALL:
            with self.subTest(name):
                stats = self.profile(name)
                expected = by_hand(name)
                self.assertEqual(rows(stats, "weight"), expected)
                gradients = dict(expected)
                if name == "tied":
                    gradients["twin.weight"] = 8 * 8 * F32  # on a storage of its own
                self.assertEqual(rows(stats, "gradient"), gradients)
                self.assertEqual(rows(stats, "buffer"), BUFFERS.get(name, {}))
                self.assertEqual(stats["memory/total_weight_usage"], sum(expected.values()))
                self.assertEqual(stats["memory/total_layer_weight_gradient_usage"], sum(gradients.values()))

    def test_optimizer_state_is_what_shapes_say(self):
        for name in models.ALL:
            with self.subTest(name):
                expected = by_hand(name)
                if name == "tied":
                    expected["twin.weight"] = 8 * 8 * F32
                # Two moments and a step counter; one momentum.
                adam = {weight: 2 * size + F32 for weight, size in expected.items()}
                self.assertEqual(rows(self.profile(name), "optimizer"), adam)
                self.assertEqual(rows(self.profile(name, "SGD"), "optimizer"), expected)

    def test_feature_maps_are_what_the_graph_keeps(self):
        for name in models.ALL:
            with self.subTest(name):
                model, batch = models.build(name)
                torch.manual_seed(1)
                loss = model(*batch).float().pow(2).mean()
                expected = walk(loss, model, batch)
                del loss
                model, batch = models.build(name)
                with MemoryProfiler(model, out=quiet()) as profiler:
                    torch.manual_seed(1)
                    loss = model(*batch).float().pow(2).mean()
                    self.assertEqual(profiler.live()["feature_map"], expected)
                    loss.backward()
                    self.assertEqual(profiler.live()["feature_map"], 0)
                    profiler.record_stats()
                    stats = profiler.stats()
                self.assertEqual(stats["memory/total_feature_map_usage"], expected)
                self.assertEqual(sum(rows(stats, "feature_map").values()), expected)

    def test_feature_maps_of_an_mlp_by_hand(self):
        stats = self.profile("mlp")
        maps = rows(stats, "feature_map")
        # ReLU keeps its output, which the next layer keeps too: once. The loss keeps the output it squares.
        self.assertEqual(maps["1"], 16 * 30 * F32)
        self.assertEqual(maps["outside the model"], 16 * 10 * F32)
        self.assertEqual(stats["memory/total_feature_map_usage"], 16 * 40 * F32)
        self.assertEqual(stats["memory/model_inputs"], 16 * 20 * F32)

    def test_feature_maps_of_a_cnn_by_hand(self):
        maps = rows(self.profile("vgg"), "feature_map")
        first, second = 4 * 8 * 16 * 16 * F32, 4 * 16 * 8 * 8 * F32
        expected = {
            "1": first + 2 * 8 * F32,  # the input, and mean and deviation of each channel
            "2": first,  # in place on the norm's output
            "3": first // 4 // F32 * I64,  # which of each four was largest
            "4": first // 4,  # the pooled map
            "5": second,
            "6": second // 4 // F32 * I64,
            "8": second // 4,
            "outside the model": 4 * 10 * F32,
        }
        self.assertEqual({layer: size for layer, size in maps.items() if size}, expected)

    def test_feature_maps_of_neumf_by_hand(self):
        maps = rows(self.profile("neumf"), "feature_map")
        batch = 64
        self.assertEqual(
            {layer: size for layer, size in maps.items() if size},
            {
                # The product keeps both factors, each relu its output; the inputs are the batch's.
                "the model itself": batch * (8 + 8 + 32 + 16 + 8) * F32,
                "mlp.0": batch * 32 * F32,
                "final": batch * 16 * F32,
                "outside the model": batch * F32,
            },
        )

    def test_names_what_is_shared(self):
        model, batch = models.build("tied")
        out = quiet()
        with MemoryProfiler(model, out=out) as profiler:
            models.step(model, batch, torch.optim.SGD(model.parameters(), lr=0.1))
            profiler.record_stats()
        text = out.getvalue()
        self.assertIn("\n  decoder.weight = encoder.weight\n", text)
        self.assertIn("\n  twin.weight = middle.weight\n", text)


if __name__ == "__main__":
    unittest.main()
