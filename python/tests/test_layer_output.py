"""What is printed, written and sent; bad arguments; no torch, an old one; the recorder gone."""

import csv
import json
import os
import pathlib
import tempfile
import unittest

from forked import run_forked
from needs import needs_torch, run, torch

from highwater import MemoryProfiler, memory_profiler
from highwater._profiler.csv_file import CsvFile
from highwater._profiler.table import Tables
from highwater._profiler.peak import Peak
from highwater._profiler.snapshot import Snapshot

# The figures of the original's published sample.
WEIGHTS = {
    "mf_user_embed.weight": 35, "mf_item_embed.weight": 7, "mlp_user_embed.weight": 71, "mlp_item_embed.weight": 14,
    "mlp.0.weight": 0, "mlp.0.bias": 0, "mlp.1.weight": 0, "mlp.1.bias": 0, "mlp.2.weight": 0, "mlp.2.bias": 0,
    "final.weight": 0, "final.bias": 0,
}
SAMPLE = """\
*******************************************
Memory Usage for Iteration 85 of Epoch 1
*******************************************
Peak cached..........................857 MB
Current cached.......................857 MB
Total feature map usage..............301 MB

Total layer weight usage.............127 MB
  mf_user_embed.weight................35 MB
  mf_item_embed.weight.................7 MB
  mlp_user_embed.weight...............71 MB
  mlp_item_embed.weight...............14 MB
  mlp.0.weight.........................0 MB
  mlp.0.bias...........................0 MB
  mlp.1.weight.........................0 MB
  mlp.1.bias...........................0 MB
  mlp.2.weight.........................0 MB
  mlp.2.bias...........................0 MB
  final.weight.........................0 MB
  final.bias...........................0 MB

Total layer weight gradient usage....127 MB
  mf_user_embed.weight grad...........35 MB
  mf_item_embed.weight grad............7 MB
  mlp_user_embed.weight grad..........71 MB
  mlp_item_embed.weight grad..........14 MB
  mlp.0.weight grad....................0 MB
  mlp.0.bias grad......................0 MB
  mlp.1.weight grad....................0 MB
  mlp.1.bias grad......................0 MB
  mlp.2.weight grad....................0 MB
  mlp.2.bias grad......................0 MB
  final.weight grad....................0 MB
  final.bias grad......................0 MB
Intermediate gradients................34 MB
"""


def sample():
    snapshot = Snapshot()
    snapshot.epoch, snapshot.iteration = snapshot.detail_epoch, snapshot.detail_iteration = 1, 85
    megabytes = {name: size * 10**6 for name, size in WEIGHTS.items()}
    snapshot.rows = {
        "weight": megabytes,
        "gradient": dict(megabytes),
        "buffer": {"norm.running_mean": 2_400_000},
        "optimizer": {name: 2 * size for name, size in megabytes.items()},
        "feature_map": {"mlp.0": 300_600_000, "mlp.1": 0},
    }
    snapshot.feature_maps, snapshot.intermediate_gradients = 300_600_000, 34_000_000
    snapshot.cached = snapshot.peak_cached = 857_000_000
    snapshot.allocated, snapshot.peak_allocated = 500_000_000, 800_000_000
    snapshot.resident, snapshot.peak_resident = 10**9, 2 * 10**9
    snapshot.outputs, snapshot.without_gradients = 3_000_000, False
    snapshot.inputs, snapshot.device, snapshot.live, snapshot.shared = 1_000_000, "cuda:0", {"weight": 127_000_000}, []
    snapshot.peak = Peak(800_000_000, "mlp.0", "backward", {"weight": 127_000_000, "feature_map": 300_600_000})
    return snapshot


class Table(unittest.TestCase):
    def test_begins_with_the_originals_sample_to_the_letter(self):
        text = Tables().table(sample())
        self.assertEqual(text[: len(SAMPLE)], SAMPLE)
        for line in text.splitlines():
            if line.endswith(" MB"):
                self.assertEqual(len(line), 43, line)

    def test_goes_on_with_what_the_original_lacked(self):
        lines = Tables().table(sample())[len(SAMPLE):].splitlines()
        for line in (
            "Total buffer usage.....................2 MB",
            "Total optimizer state usage..........254 MB",
            "  mf_user_embed.weight state..........70 MB",
            "Feature maps by layer................301 MB",
            "  mlp.0..............................301 MB",
            "Layer outputs, not kept................3 MB",
            "Peak of this iteration...............800 MB",
            "  at mlp.0, backward",
            "(1 MB = 1,000,000 bytes)",
        ):
            self.assertIn(line, lines)

    def test_a_small_model_has_decimals(self):
        snapshot = sample()
        snapshot.rows["weight"] = {"fc.weight": 24_000, "fc.bias": 0}
        snapshot.peak_allocated, snapshot.peak = None, Peak(12_345_678, "fc", "forward")
        lines = Tables().table(snapshot).splitlines()
        self.assertIn("  fc.weight........................0.024 MB", lines)
        self.assertIn("  fc.bias..............................0 MB", lines)
        self.assertIn("Peak of this iteration................12 MB", lines)

    def test_a_long_name_makes_all_rows_wider_and_what_is_not_measured_says_so(self):
        snapshot = sample()
        name = "encoder.layers.11.self_attention.out_projection.weight"
        snapshot.rows["weight"][name] = 5_000_000
        snapshot.cached = snapshot.peak_cached = None
        lines = Tables().table(snapshot).splitlines()
        self.assertEqual({len(line) for line in lines if line.endswith(" MB")}, {len(name) + 2 + 1 + 8})
        self.assertRegex(lines[3], r"^Peak cached\.+none$")


class Csv(unittest.TestCase):
    def test_has_the_originals_columns_then_ours_and_keeps_them(self):
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                file, other = CsvFile(), CsvFile()
                file.write(sample())
                changed = sample()
                changed.rows["weight"]["new"] = 1
                del changed.rows["gradient"]["final.bias"]
                changed.cached = None
                file.write(changed)
                other.write(sample())
                self.assertRegex(file.path, r"^memory_csv_data/\d{14}\.csv$")
                self.assertNotEqual(file.path, other.path)
                header, first, second = list(csv.reader(pathlib.Path(file.path).read_text().splitlines()))
            finally:
                os.chdir(home)
        names = list(WEIGHTS)
        original = [
            "epoch", "iteration", "peak_cached", "current_cached", "total_feature_map_usage", "total_weight_usage",
            *names, "total_layer_weight_gradient_usage", *[n + "_grad" for n in names], "intermediate_gradients",
        ]
        self.assertEqual(header[: len(original)], original)
        self.assertEqual(first[:7], ["1", "85", "857", "857", "301", "127", "35"])
        self.assertEqual(len(first), len(header))
        self.assertEqual(len(second), len(header))
        cell = dict(zip(header, second))
        self.assertEqual((cell["current_cached"], cell["final.bias_grad"]), ("", ""))
        cell = dict(zip(header, first))
        self.assertEqual(cell["total_feature_map_usage_bytes"], "300600000")
        self.assertEqual(cell["mlp.0_feature_map_bytes"], "300600000")
        self.assertEqual(cell["peak_at"], "mlp.0, backward")


class Arguments(unittest.TestCase):
    def test_bad_ones_are_refused_before_training(self):
        for period in (0, -1, 1.5, "5", True, None):
            with self.assertRaisesRegex(ValueError, "print_period must be a whole number of 1 or more"):
                MemoryProfiler(None, print_period=period)
        with self.assertRaisesRegex(ValueError, "csv must be True or False, got 'yes'"):
            MemoryProfiler(None, csv="yes")
        self.assertIs(memory_profiler, MemoryProfiler)

    @needs_torch
    def test_models_and_optimizers(self):
        with self.assertRaisesRegex(ValueError, "model must be a torch.nn.Module, got list"):
            MemoryProfiler([])
        with self.assertRaisesRegex(ValueError, "optimizer must be a torch.optim.Optimizer or a list of them, got int"):
            MemoryProfiler(torch.nn.Linear(1, 1), optimizer=3)


LOOP = """
    {before}
    import highwater
    profiler = highwater.MemoryProfiler(model, print_period=2, csv={csv})
    for epoch in range(2):
        for step in range(4):
            {train}
            profiler.record_stats()
            {after}
        profiler.epoch_end()
    profiler.close()
    print("done")
"""
TRAIN = "model(torch.randn(4, 3)).sum().backward()"
MODEL = "import torch; model = torch.nn.Linear(3, 2)"


def loop(before=MODEL, train=TRAIN, after="pass", csv=False):
    return LOOP.format(before=before, train=train, after=after, csv=csv)


class Alone(unittest.TestCase):
    EPOCHS = "Epoch 1 finished\nEpoch 2 finished\ndone\n"

    def test_without_torch_it_warns_once_and_the_program_goes_on(self):
        code, out, errors = run(loop("import sys; sys.modules['torch'] = None; model = object()", "pass"))
        self.assertEqual((code, out), (0, self.EPOCHS))
        self.assertEqual(errors, "highwater: torch is not installed, so that the layer profiler measures nothing\n")

    def test_with_an_old_torch_too(self):
        old = "import sys, types; t = sys.modules['torch'] = types.ModuleType('torch'); t.__version__ = '1.13.1+cu117'; model = 1"
        code, out, errors = run(loop(old, "pass"))
        self.assertEqual((code, out), (0, self.EPOCHS))
        self.assertEqual(
            errors, "highwater: the layer profiler needs torch 2.0 or newer and measures nothing with 1.13.1+cu117\n"
        )

    def test_importing_it_imports_no_torch(self):
        code, out, _ = run("import sys, highwater; print('torch' in sys.modules)")
        self.assertEqual((code, out), (0, "False\n"))

    @needs_torch
    def test_prints_every_other_iteration_and_starts_again_with_each_epoch(self):
        code, out, errors = run_forked(loop())
        self.assertEqual((code, errors), (0, ""))
        said = [line for line in out.splitlines() if line.startswith(("Memory Usage", "Epoch", "done"))]
        heads = ["Memory Usage for Iteration %d of Epoch %d" % (i, e) for e in (1, 2) for i in (2, 4)]
        self.assertEqual(said, heads[:2] + ["Epoch 1 finished"] + heads[2:] + ["Epoch 2 finished", "done"])

    @needs_torch
    def test_writes_its_csv_or_says_once_that_it_cannot(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = run_forked(loop(csv=True), cwd=folder)
            self.assertEqual((code, errors), (0, ""))
            (path,) = pathlib.Path(folder, "memory_csv_data").iterdir()
            lines = list(csv.DictReader(path.read_text().splitlines()))
            self.assertEqual([(r["epoch"], r["iteration"]) for r in lines], [("1", "2"), ("1", "4"), ("2", "2"), ("2", "4")])
            self.assertEqual(lines[0]["total_weight_usage_bytes"], str(4 * (3 * 2 + 2)))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "memory_csv_data").write_text("in the way")
            code, out, errors = run_forked(loop(csv=True), cwd=folder)
        self.assertEqual(code, 0)
        self.assertRegex(errors, r"^highwater: no CSV from here on: [^\n]*\n$")


@needs_torch
class Sent(unittest.TestCase):
    def messages(self, **env):
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = run_forked(loop(), HIGHWATER_OUT=folder, **env)
            self.assertEqual((code, errors), (0, ""))
            (path,) = pathlib.Path(folder).iterdir()
            lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [line for line in lines if line["type"] == "layers"]

    def test_all_rows_at_first_then_what_changed(self):
        sent = self.messages()
        self.assertEqual([(m["epoch"], m["iteration"]) for m in sent], [(e, i) for e in (1, 2) for i in (1, 2, 3, 4)])
        self.assertEqual(sorted(m["time"] for m in sent), [m["time"] for m in sent])
        first = {(name, kind): size for name, kind, size in sent[0]["rows"]}
        self.assertEqual(first["weight", "weight"], 24)
        self.assertEqual(first["bias", "gradient"], 8)
        self.assertEqual(first["", "input"], 48)
        at_peak = sum(size for (_, kind), size in first.items() if kind == "at_peak")
        (peak,) = [size for (_, kind), size in first.items() if kind == "peak"]
        self.assertEqual(at_peak, peak)
        for message in sent[3:]:
            self.assertNotIn("weight", [kind for _, kind, _ in message["rows"]])

    def test_a_recorder_that_goes_away_is_one_warning(self):
        script = """
            import os, socket, sys, threading, time
            server = socket.socket(socket.AF_UNIX)
            server.bind(os.environ["HIGHWATER_SOCKET"])
            server.listen()
            import torch, highwater
            model = torch.nn.Linear(3, 2)
            profiler = highwater.MemoryProfiler(model, print_period=1000)
            for step in range(20):
                model(torch.randn(4, 3)).sum().backward()
                profiler.record_stats()
                if step == 3:
                    connection, _ = server.accept()
                    connection.recv(100000)
                    connection.close()
                    server.close()
                time.sleep(0.02)
            print("done", step)
        """
        with tempfile.TemporaryDirectory() as folder:
            code, out, errors = run_forked(script, HIGHWATER_SOCKET=os.path.join(folder, "s"))
        self.assertEqual((code, out), (0, "done 19\n"))
        self.assertEqual(errors, "highwater: the recorder has gone away; the training goes on without it\n")


if __name__ == "__main__":
    unittest.main()
