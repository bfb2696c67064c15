"""On a GPU: the rows against torch's allocator."""

import gc
import unittest

from needs import needs_cuda, quiet, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler
    from torch import nn


def workspace():
    """Bytes that cuBLAS holds within torch's allocator, let go to find out."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch._C._cuda_clearCublasWorkspaces()
    return before - torch.cuda.memory_allocated()


def cnn():
    def block(inside, outside):
        return [nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True), nn.MaxPool2d(2)]

    layers = [*block(3, 64), *block(64, 128), *block(128, 256), nn.Flatten(), nn.Linear(256 * 16 * 16, 1000)]
    return nn.Sequential(*layers), lambda: (torch.randn(64, 3, 128, 128, device="cuda"),)


def transformer():
    layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), lambda: (
        torch.randn(8, 512, 768, device="cuda"),
    )


@needs_cuda
class Account(unittest.TestCase):
    def setUp(self):
        self.addCleanup(self.clean)
        self.clean()
        self.start = torch.cuda.memory_allocated()

    def clean(self):
        """What a test before left behind, perhaps as it failed, is none of the next one's."""
        gc.collect()
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()

    def check(self, profiler, held, where):
        live = profiler.live()
        allocated = live.pop("allocated")
        live.pop("other")
        # What the program holds and autograd does not: an output that the loss saved is a row already.
        saved = profiler._watch._tracker.ledger._held
        storages = [tensor.untyped_storage() for tensor in held]
        extra = sum(storage.nbytes() for storage in storages if storage._cdata not in saved)
        other = allocated - sum(live.values()) - extra - workspace() - self.start
        print("\n  %s: %s allocated, other %s (%.2f %%)" % (where, allocated, other, 100 * other / allocated), live)
        self.assertGreaterEqual(other, -0.001 * allocated)
        self.assertLessEqual(other, 0.02 * allocated)

    def account(self, build, amp):
        model, batch = build()
        model = model.cuda()
        optimizer = torch.optim.AdamW(model.parameters())
        with MemoryProfiler(model, out=quiet(), every=1) as profiler:
            for _ in range(3):
                inputs = batch()
                with torch.autocast("cuda", enabled=amp):
                    output = model(*inputs)
                    loss = output.float().pow(2).mean()
                self.check(profiler, [output, loss], "end of forward")
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                self.check(profiler, [output, loss], "record_stats")
                profiler.record_stats()
                stats = profiler.stats()
                self.assertEqual(profiler.live()["feature_map"], 0)
            self.assertGreaterEqual(stats["memory/peak_allocated"], stats["memory/peak"])
            self.assertGreaterEqual(stats["memory/peak_cached"], stats["memory/peak_allocated"])
            self.assertTrue(profiler.peak_layer is not None)
            self.assertEqual(torch.cuda.max_memory_allocated(), stats["memory/peak_allocated"])

    def test_of_a_cnn(self):
        self.account(cnn, False)

    def test_of_a_transformer(self):
        self.account(transformer, False)

    def test_of_a_transformer_in_half_precision(self):
        self.account(transformer, True)

    def test_an_lstm_whose_weights_lie_on_one_storage(self):
        model, batch = models.build("lstm")
        model = model.cuda()
        batch = tuple(tensor.cuda() for tensor in batch)
        with MemoryProfiler(model, out=quiet()) as profiler:
            model(*batch).sum().backward()
            profiler.record_stats()
            stats = profiler.stats()
        storages = {p.untyped_storage().data_ptr(): p.untyped_storage().nbytes() for p in model.parameters()}
        self.assertLess(len(storages), len(list(model.parameters())))
        self.assertEqual(stats["memory/total_weight_usage"], sum(storages.values()))
        for name, parameter in model.named_parameters():
            self.assertGreaterEqual(stats["memory/weight/" + name], parameter.nbytes)

    def test_results_are_the_same_to_the_bit(self):
        def losses(profiled):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(), nn.Linear(256, 10)).cuda()
            optimizer = torch.optim.Adam(model.parameters())
            profiler = MemoryProfiler(model, out=quiet()) if profiled else None
            found = []
            for _ in range(10):
                found.append(models.step(model, (torch.randn(32, 64, device="cuda"),), optimizer).item())
                if profiler:
                    profiler.record_stats()
            if profiler:
                profiler.close()
            return found

        self.assertEqual(losses(True), losses(False))

    def test_the_users_peak_is_left_alone(self):
        model = nn.Linear(10, 10).cuda()
        large = torch.empty(1 << 24, device="cuda")
        del large
        before = torch.cuda.max_memory_allocated()
        with MemoryProfiler(model, out=quiet()) as profiler:
            for _ in range(3):
                model(torch.randn(4, 10, device="cuda")).sum().backward()
                profiler.record_stats()
        self.assertGreaterEqual(torch.cuda.max_memory_allocated(), before)


if __name__ == "__main__":
    unittest.main()
