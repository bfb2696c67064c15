"""Tagged lines: how they are written, and, where torch is, a real training."""

import unittest

from forked import run_forked
from ends import needs_ends
from needs import run

from highwater._tag_lines import WAITING, Lines, Storage


class Written(unittest.TestCase):
    def lines(self):
        text = []
        return Lines(text.append), text

    def test_waits_for_what_a_storage_is_and_keeps_the_order(self):
        lines, text = self.lines()
        storage = Storage(8, "CPU", "data")
        lines.add("Allocate", storage)
        storage.tag = "in_arg:a b(c)"
        lines.add("Release", storage)
        self.assertEqual(text, [])
        lines.flush()
        self.assertEqual(
            "".join(text),
            "[mem] Allocate 8 bytes CPU memory (in_arg:a_b_c_).\n"
            "[mem] Release 8 bytes CPU memory (in_arg:a_b_c_).\n",
        )

    def test_a_release_is_called_what_its_allocation_was(self):
        lines, text = self.lines()
        storage = Storage(8, "GPU", "data")
        lines.add("Allocate", storage)
        lines.flush()
        storage.tag = "later"
        lines.add("Release", storage)
        lines.flush()
        self.assertIn("Release 8 bytes GPU memory (data).", text[1])

    def test_does_not_wait_for_ever(self):
        lines, text = self.lines()
        for i in range(WAITING + 1):
            lines.add("Allocate", Storage(i, "CPU", "data"))
        self.assertEqual("".join(text).count("\n"), WAITING // 2)

    def test_does_nothing_without_torch(self):
        script = """
            import sys
            sys.modules["torch"] = None
            import highwater
            highwater.log_allocations()()
            print("done")
        """
        self.assertEqual(run(script), (0, "done\n", ""))

    def test_says_that_torch_is_too_old_to_tell_the_end_of_a_storage(self):
        script = """
            import sys, types
            class Tensor:
                untyped_storage = lambda self: object()
            sys.modules["torch"] = types.SimpleNamespace(__version__="2.1.2+cu121", zeros=lambda size: Tensor())
            import highwater
            highwater.log_allocations()()
            print("done")
        """
        said = "highwater: lines of tagged allocations need a newer torch than 2.1.2+cu121\n"
        self.assertEqual(run(script), (0, "done\n", said))


@needs_ends
class Training(unittest.TestCase):
    SCRIPT = """
        import gc, torch, highwater
        torch.manual_seed(0)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = torch.nn.Sequential(
            torch.nn.Conv2d(1, 20, 5), torch.nn.BatchNorm2d(20), torch.nn.ReLU(), torch.nn.Flatten(),
            torch.nn.Linear(20 * 24 * 24, 10),
        ).to(device)
        optimizer = torch.optim.Adam(model.parameters())
        {start}
        for step in range(3):
            images = torch.ones(4, 1, 28, 28, device=device)
            loss = torch.nn.functional.cross_entropy(model(images), torch.zeros(4, dtype=torch.long, device=device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        {end}
    """
    PARAMETERS = 4 * (20 * 25 + 20 + 20 + 20 + 20 * 24 * 24 * 10 + 10)

    def events(self, text):
        for line in text.splitlines():
            words = line.split(" ")
            self.assertEqual([words[0], words[3], words[5]], ["[mem]", "bytes", "memory"], line)
            yield words[1], int(words[2]), words[6][1:-2]

    def sums(self, text):
        made, live, peak, total = {}, {}, 0, 0
        for verb, size, tag in self.events(text):
            sign = 1 if verb == "Allocate" else -1
            kind = tag.split(":")[0] if ":" in tag else tag.rsplit("_", 1)[0] if tag != "data" else tag
            if sign > 0:
                made[kind] = made.get(kind, 0) + size
            live[tag] = live.get(tag, 0) + sign * size
            total += sign * size
            self.assertGreaterEqual(live[tag], 0, tag)
            peak = max(peak, total)
        return made, live, peak

    def test_tells_weights_gradients_state_and_layers(self):
        start = "highwater.log_allocations(model)"
        code, _, text = run_forked(self.SCRIPT.format(start=start, end="del loss, images; gc.collect()"))
        self.assertEqual(code, 0, text)
        made, live, peak = self.sums(text)
        self.assertEqual(made["in_arg"], self.PARAMETERS)
        self.assertEqual(made["arg_grad"], 3 * self.PARAMETERS)
        tags = set(live)
        for tag in ("in_arg:0.weight", "aux_state:1.running_mean", "arg_grad:4.weight", "data"):
            self.assertIn(tag, tags)
        self.assertTrue(any(tag.startswith("forward_features:0@") for tag in tags), tags)
        self.assertTrue(any(tag.startswith("backward_features:4@") for tag in tags), tags)
        state = sum(size for tag, size in live.items() if tag.startswith("_optimizer_state_"))
        self.assertGreaterEqual(state, 2 * self.PARAMETERS)
        self.assertGreater(peak, 4 * self.PARAMETERS)
        # zero_grad gives all gradients back.
        self.assertEqual(sum(size for tag, size in live.items() if tag.startswith("arg_grad")), 0)

    def test_works_for_a_program_that_only_imports_it(self):
        script = self.SCRIPT.format(start="", end="")
        code, _, text = run_forked(script, HIGHWATER_TAGS="1")
        self.assertEqual(code, 0, text)
        made, _, _ = self.sums(text)
        self.assertEqual(made["in_arg"], self.PARAMETERS)
        self.assertEqual(run_forked(script), (0, "", ""))

    def test_an_interrupted_training_keeps_its_lines(self):
        end = "raise KeyboardInterrupt"
        start = "highwater.log_allocations(model)"
        code, _, text = run_forked(self.SCRIPT.format(start=start, end=end))
        self.assertNotEqual(code, 0)
        lines = "\n".join(line for line in text.splitlines() if line.startswith("[mem]"))
        self.assertEqual(self.sums(lines)[0]["arg_grad"], 3 * self.PARAMETERS)

    def test_results_are_the_same_and_what_ends_it_leaves_no_mode(self):
        end = "print(loss.item())"
        plain = run_forked(self.SCRIPT.format(start="", end=end))
        start = "stop = highwater.log_allocations(model)"
        stopped = end + "; stop(); import torch.utils._python_dispatch as d; print(d._get_current_dispatch_mode_stack())"
        code, out, _ = run_forked(self.SCRIPT.format(start=start, end=stopped))
        self.assertEqual((code, out), (0, plain[1] + "[]\n"))


if __name__ == "__main__":
    unittest.main()
