"""What ``record`` does inside a torch program: the model found, its layers tagged, blocks named, the cost counted."""

import os
import sys
import tempfile
import threading
import unittest
import unittest.mock

from forked import run_forked
from needs import PACKAGE, needs_torch, run, torch

from highwater._inside import owners
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
            alone = run_forked(script)
            followed = run(script, **{**ways, "PYTHONPATH": inject})
            self.assertEqual(followed, alone)
            lines = "".join(open(os.path.join(folder, name)).read() for name in os.listdir(folder))
        self.assertIn('["0.weight","weight",256]', lines)
        self.assertIn('"layers.steps":5', lines)

    def test_a_model_that_is_trained_later_is_found_too(self):
        script = """
        import torch
        def train(*models):
            pairs = []
            for model in models:
                pairs.append((model, torch.optim.SGD(model.parameters(), lr=0.1)))
                for _ in range(3):
                    for model, optimizer in pairs:
                        optimizer.zero_grad(); model(torch.randn(4, 8)).sum().backward(); optimizer.step()
        train(torch.nn.Sequential(torch.nn.Linear(8, 8)))
        train(torch.nn.Sequential(torch.nn.Linear(8, 9)), torch.nn.Linear(8, 10))
        train(torch.nn.Linear(8, 11))
        """
        with tempfile.TemporaryDirectory() as folder:
            ways = {"HIGHWATER_OUT": folder, "HIGHWATER_LAYERS": "1"}
            code, _, errors = run(script, **{**ways, "PYTHONPATH": str(PACKAGE / "highwater" / "_inject")})
            self.assertEqual((code, errors), (0, ""))
            (name,) = os.listdir(folder)
            with open(os.path.join(folder, name)) as file:
                lines = file.read()
        first, second, third = '["0.weight","weight",256]', '["0.weight","weight",288]', '["weight","weight",352]'
        for row in (first, second, '["Linear.weight","weight",320]', third):
            self.assertIn(row, lines)
        # What has gone with a model is said to be gone.
        self.assertRegex(lines[lines.index(third):], r'\["Linear.weight","weight",null\]')
        self.assertNotIn('"type":"warning"', lines)


if __name__ == "__main__":
    sys.exit(unittest.main())
