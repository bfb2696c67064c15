"""A profiled training is the same training: results, errors, hooks of others, memory."""

import copy
import gc
import io
import threading
import unittest
import weakref

from needs import needs_torch, quiet, torch

if torch is not None:
    import models
    from highwater import MemoryProfiler
    from highwater._profiler import hook_stack, tracker
    from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
    from torch.utils.checkpoint import checkpoint


def top():
    return torch._C._autograd._top_saved_tensors_default_hooks(False)


# torch 2.0 to 2.2 do not tell which hooks are in force.
tells_hooks = unittest.skipUnless(
    torch is not None and hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks"), "needs a newer torch"
)


@needs_torch
class Results(unittest.TestCase):
    def losses(self, name, profiled, period=1):
        model, batch = models.build(name)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        profiler = MemoryProfiler(model, print_period=period, out=quiet()) if profiled else None
        losses = []
        for _ in range(5):
            losses.append(models.step(model, batch, optimizer).item())
            if profiler:
                profiler.record_stats()
        if profiler:
            profiler.close()
        return losses

    def test_losses_are_the_same_to_the_bit(self):
        for name in models.ALL:
            with self.subTest(name):
                plain = self.losses(name, False)
                self.assertEqual(self.losses(name, True), plain)
                self.assertEqual(self.losses(name, True, period=3), plain)

    def second_order(self):
        model, (x,) = models.build("mlp")
        loss = model(x).pow(3).sum()
        first = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
        sum(g.pow(2).sum() for g in first).backward()
        return [p.grad.clone() for p in model.parameters()]

    def test_a_gradient_of_a_gradient_is_the_same(self):
        plain = self.second_order()
        model, _ = models.build("mlp")
        with MemoryProfiler(model, out=quiet()):
            profiled = self.second_order()
        self.assertTrue(all(torch.equal(a, b) for a, b in zip(plain, profiled)))


@needs_torch
class InPlace(unittest.TestCase):
    """Autograd must go on noticing that what it saved was changed."""

    def spoiled(self):
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        z = (y * y).sum()
        with torch.no_grad():
            y.add_(100)
        z.backward()
        return x.grad

    def test_a_changed_tensor_is_torchs_error(self):
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation") as plain:
            self.spoiled()
        model, _ = models.build("mlp")
        with MemoryProfiler(model, out=quiet()):
            with self.assertRaises(RuntimeError) as ours:
                self.spoiled()
        start = "one of the variables needed for gradient computation has been modified by an inplace operation: "
        for error in (plain, ours):
            text = str(error.exception)
            self.assertTrue(text.startswith(start + "[torch.FloatTensor [3]]"), text)
            self.assertIn("is at version 1; expected version 0 instead. Hint: enable anomaly detection", text)

    def test_hooks_that_do_not_look_would_give_wrong_gradients(self):
        with saved_tensors_hooks(lambda tensor: tensor.detach(), lambda tensor: tensor):
            wrong = self.spoiled()
        self.assertFalse(torch.equal(wrong, torch.full((3,), 8.0)))

    def test_a_weight_that_is_changed_before_backward_is_an_error_too(self):
        model, (x,) = models.build("mlp")
        with MemoryProfiler(model, out=quiet()):
            loss = model(x).sum()
            with torch.no_grad():
                model[2].weight.mul_(2)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                loss.backward()

    def test_a_second_backward_is_torchs_error(self):
        model, (x,) = models.build("mlp")
        with MemoryProfiler(model, out=quiet()):
            loss = model(x).pow(2).sum()
            loss.backward(retain_graph=True)
            loss.backward()
            with self.assertRaisesRegex(RuntimeError, "backward through the graph a second time"):
                loss.backward()


@needs_torch
class Others(unittest.TestCase):
    def setUp(self):
        self.model, (self.x,) = models.build("mlp")

    def gradients(self, forward):
        self.model.zero_grad()
        forward().pow(2).sum().backward()
        return [p.grad.clone() for p in self.model.parameters()]

    def same(self, a, b):
        self.assertTrue(all(torch.equal(x, y) for x, y in zip(a, b)))

    def test_checkpointing_of_both_kinds(self):
        self.x.requires_grad_()
        plain = self.gradients(lambda: self.model(self.x))
        for reentrant in (False, True):
            with MemoryProfiler(self.model, out=quiet()) as profiler:

                def forward():
                    out = checkpoint(self.model, self.x, use_reentrant=reentrant)
                    self.kept = profiler.live()["feature_map"]
                    return out

                self.same(self.gradients(forward), plain)
                # Only the input is kept, and that is the user's: no map of 16×30 floats.
                self.assertLessEqual(self.kept, models.nbytes(self.x))
                profiler.record_stats()
                self.assertEqual(profiler.live()["feature_map"], 0)

    def test_hooks_within_ours(self):
        plain = self.gradients(lambda: self.model(self.x))

        def forward():
            with save_on_cpu():
                return self.model(self.x)

        with MemoryProfiler(self.model, out=quiet()):
            self.same(self.gradients(forward), plain)

    @tells_hooks
    def test_hooks_that_were_there_before_go_on_working(self):
        packed, unpacked = [], []

        def pack(tensor):
            packed.append(tensor.shape)
            return tensor.detach().clone()

        def unpack(tensor):
            unpacked.append(tensor.shape)
            return tensor

        plain = self.gradients(lambda: self.model(self.x))
        with saved_tensors_hooks(pack, unpack):
            with MemoryProfiler(self.model, out=quiet()) as profiler:
                loss = self.model(self.x).pow(2).sum()
                # What they keep counts: copies of both weights, input and output of relu, of the result.
                copies = [self.x, torch.empty(16, 30), torch.empty(16, 30), self.model[2].weight, torch.empty(16, 10)]
                self.assertEqual(profiler.live()["feature_map"], sum(models.nbytes(t) for t in copies))
                self.model.zero_grad()
                loss.backward()
                self.same([p.grad for p in self.model.parameters()], plain)
            self.assertIs(top()[0], pack)
        self.assertEqual(len(packed), 5)
        self.assertEqual(sorted(packed), sorted(unpacked))

    @tells_hooks
    def test_ends_in_another_order_than_it_began(self):
        with save_on_cpu():
            profiler = MemoryProfiler(self.model, out=quiet())
            profiler.close()
            self.assertIsNotNone(top())
        self.assertIsNone(top())
        profiler = MemoryProfiler(self.model, out=quiet())
        with save_on_cpu():
            inner = top()[0]
            profiler.close()
            self.assertIs(top()[0], inner)
        # Covered by another's: they stay, and do nothing but hand on.
        plain = self.gradients(lambda: self.model(self.x))
        self.assertEqual(len(plain), 4)
        torch._C._autograd._pop_saved_tensors_default_hooks()
        self.assertIsNone(top())

    def test_torch_func_works(self):
        def loss(weights):
            return torch.func.functional_call(self.model, weights, (self.x,)).pow(2).sum()

        weights = {name: p.detach() for name, p in self.model.named_parameters()}
        plain = torch.func.grad(loss)(weights)
        kept = torch.autograd.graph.disable_saved_tensors_hooks
        with MemoryProfiler(self.model, out=quiet()) as profiler:
            profiled = torch.func.grad(loss)(weights)
            torch.func.vmap(torch.func.grad(lambda x: (x**3).sum()))(self.x)
            self.model(self.x).pow(2).sum().backward()
            profiler.record_stats()
            self.assertGreater(profiler.stats()["memory/total_feature_map_usage"], 0)
        self.same(plain.values(), profiled.values())
        self.assertIs(torch.autograd.graph.disable_saved_tensors_hooks, kept)

    @tells_hooks
    def test_two_profilers_of_two_models(self):
        other, _ = models.build("mlp", seed=1)
        with MemoryProfiler(self.model, out=quiet()) as a, MemoryProfiler(other, out=quiet()) as b:
            loss = self.model(self.x).pow(2).sum() + other(self.x).pow(2).sum()
            # Each has the other's maps outside of its model; the second the batch too, which the first saved.
            self.assertEqual(a.live()["feature_map"], 2 * 16 * 40 * 4)
            self.assertEqual(b.live()["feature_map"], 2 * 16 * 40 * 4 + models.nbytes(self.x))
            loss.backward()
            a.record_stats()
            b.record_stats()
            self.assertEqual(a.stats()["memory/feature_map/1"], 16 * 30 * 4)
            self.assertEqual(a.live()["feature_map"], 0)
            self.assertEqual(b.live()["feature_map"], 0)

    def test_a_training_in_another_thread(self):
        seen = {}
        with MemoryProfiler(self.model, out=quiet()) as profiler:

            def train():
                seen["gradients"] = self.gradients(lambda: self.model(self.x))
                profiler.record_stats()

            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
            self.assertEqual(profiler.stats()["memory/feature_map/1"], 16 * 30 * 4)
        self.same(seen["gradients"], self.gradients(lambda: self.model(self.x)))


@needs_torch
class Traces(unittest.TestCase):
    """What a profiler leaves behind: nothing."""

    def hooks(self, model):
        return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules())

    def test_close_takes_every_hook_off(self):
        model, batch = models.build("vgg")
        before = torch.autograd.graph.disable_saved_tensors_hooks
        profiler = MemoryProfiler(model, out=quiet())
        self.assertGreater(self.hooks(model), 0)
        profiler.close()
        profiler.close()
        optim = __import__("torch.optim.optimizer", fromlist=["x"])
        self.assertEqual(self.hooks(model), 0)
        self.assertEqual(len(optim._global_optimizer_pre_hooks), 0)
        self.assertEqual(len(optim._global_optimizer_post_hooks), 0)
        self.assertIs(torch.autograd.graph.disable_saved_tensors_hooks, before)
        self.assertEqual((tracker._trackers, hook_stack._users), ([], 0))
        for parameter in model.parameters():
            self.assertFalse(getattr(parameter, "_post_accumulate_grad_hooks", None))
        # It is over, and says nothing more.
        profiler.record_stats()
        self.assertEqual(profiler.stats(), {})

    def test_a_dropped_profiler_is_closed(self):
        model, _ = models.build("mlp")
        profiler = MemoryProfiler(model, out=quiet())
        del profiler
        self.assertEqual(self.hooks(model), 0)

    def test_a_model_is_freed_as_soon_as_it_is_dropped(self):
        gc.collect()
        gc.disable()
        try:
            model, batch = models.build("vgg")
            profiler = MemoryProfiler(model, out=quiet())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loss = models.step(model, batch, optimizer)
            profiler.record_stats()
            gone = weakref.ref(model)
            output = weakref.ref(loss)
            del model, loss, optimizer
            self.assertIsNone(gone())
            self.assertIsNone(output())
            profiler.record_stats()
            profiler.close()
        finally:
            gc.enable()

    def test_a_graph_that_is_dropped_frees_what_it_saved(self):
        model, batch = models.build("transformer")
        with MemoryProfiler(model, out=quiet()) as profiler:
            out = model(*batch)
            self.assertGreater(profiler.live()["feature_map"], 0)
            del out
            self.assertEqual(profiler.live()["feature_map"], 0)

    def test_a_model_can_be_copied_and_saved(self):
        model, (x,) = models.build("mlp")
        with MemoryProfiler(model, out=quiet()) as profiler:
            twin = copy.deepcopy(model)
            file = io.BytesIO()
            torch.save(model, file)
            self.assertNotIn(b"highwater", file.getvalue())
            file.seek(0)
            options = {} if torch.__version__.startswith("2.0") else {"weights_only": False}
            loaded = torch.load(file, **options)
            for other in (twin, loaded):
                self.assertTrue(torch.equal(other(x), model(x)))
                out = other(x).pow(2).sum()
                self.assertEqual(profiler.live()["feature_map"] > 0, True)
                out.backward()
            self.assertEqual(profiler.live()["feature_map"], 0)

    def test_a_thousand_iterations_are_flat(self):
        model, batch = models.build("mlp")
        optimizer = torch.optim.Adam(model.parameters())
        profiler = MemoryProfiler(model, print_period=1, out=_Nowhere())
        sizes = []
        for i in range(1000):
            models.step(model, batch, optimizer)
            profiler.record_stats()
            if i in (100, 999):
                gc.collect()
                sizes.append(len(gc.get_objects()))
                watch = profiler._watch
                ledger = watch._tracker.ledger
                self.assertEqual((len(ledger.events), len(ledger._held), ledger.saved), (0, 0, 0))
                self.assertLess(len(watch._tracker._flow_refs), 10)
        profiler.close()
        self.assertLess(sizes[1] - sizes[0], 50)

    def test_exceptions_of_the_loop_pass_and_figures_stay_right(self):
        class Fails(torch.nn.Module):
            fail = False

            def forward(self, x):
                if self.fail:
                    raise KeyError("mine")
                return x

        fails = Fails()
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(fails, torch.nn.ReLU()))
        x = torch.randn(2, 4)
        with MemoryProfiler(model, out=quiet()) as profiler:
            for i in range(4):
                fails.fail = i % 2 == 0
                try:
                    model(x).pow(2).sum().backward()
                except KeyError as error:
                    self.assertEqual(str(error), "'mine'")
                profiler.record_stats()
            maps = {k: v for k, v in profiler.stats().items() if k.startswith("memory/feature_map/") and v}
        self.assertEqual(maps, {"memory/feature_map/1.1": 2 * 4 * 4})

    def test_an_error_of_our_own_is_a_warning_and_the_end_of_it(self):
        model, batch = models.build("mlp")
        profiler = MemoryProfiler(model, out=quiet())
        profiler._watch.measure = None
        import contextlib

        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            profiler.record_stats()
            profiler.record_stats()
        self.assertRegex(errors.getvalue(), r"^highwater: the layer profiler stopped: TypeError: [^\n]*\n$")
        self.assertEqual(self.hooks(model), 0)


class _Nowhere:
    def write(self, text):
        return len(text)


if __name__ == "__main__":
    unittest.main()
