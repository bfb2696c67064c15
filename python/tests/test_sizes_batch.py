"""memuse_batch: its lines, its parameters, its times and its failures."""

import os
import pathlib
import tempfile
import textwrap
import unittest

from needs import run

SCRIPT = """
    size = globals().get("size", 1)
    sim = [bytearray(size * 1_000_000)]

    def run(time):
        sim.append(bytearray(int(time) * 1_000_000))
"""


def batch(calls, script=SCRIPT):
    """Writes the script as tiny.ty and runs these calls; exit code, output, errors."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tiny.ty").write_text(textwrap.dedent(script))
        lines = ["from highwater.memuse import memuse_batch", *calls]
        return run("\n".join(lines), cwd=folder)


class Batch(unittest.TestCase):
    def test_a_line_for_each_time_with_its_parameters(self):
        code, out, errors = batch(['memuse_batch("tiny.ty", times=[0, 30], size=20, dims=["or", "od"])'])
        self.assertEqual(code, 0)
        lines = [line for line in out.splitlines() if line.startswith("tiny")]
        self.assertEqual(len(lines), 2)
        pattern = r"^tiny,size=20,dims=or_od: t0000%s.00: topsize:\d+m =\? code \+ simsize:\d+MB \+ wtsize:%dMB "
        self.assertRegex(lines[0], pattern % ("00", 19))
        self.assertRegex(lines[1], pattern % ("30", 47))
        self.assertEqual(errors, "Warning -- Parameter dims is not used by the script.\n")

    def test_warns_of_names_that_are_taken(self):
        _, _, errors = batch(["size = 5", 'memuse_batch("tiny.ty", size=2, analysis_fn=print)'])
        self.assertEqual(errors, "Warning -- Replaced size=2; was 5\n")

    def test_calls_an_analysis_in_place_of_its_own(self):
        _, out, _ = batch(['print(memuse_batch("tiny.ty", analysis_fn=lambda prefix: print(prefix + "seen"), size=1))'])
        self.assertEqual(out, "tiny,size=1: t000000.00: seen\nTrue\n")

    def test_a_failure_is_reported_and_the_batch_goes_on(self):
        calls = [
            'memuse_batch("missing.ty")',
            'memuse_batch("tiny.ty", size="much", analysis_fn=print)',
            'memuse_batch("tiny.ty", times=[5, 1], analysis_fn=print)',
            'print(memuse_batch("tiny.ty", analysis_fn=print, size=1))',
        ]
        code, out, errors = batch(calls)
        self.assertEqual(code, 0)
        self.assertEqual(errors.count("Warning -- Error detected: execution halted."), 3)
        self.assertIn("FileNotFoundError: no script 'missing.ty'", out)
        self.assertIn("TypeError", out)
        self.assertIn("times must not go backward", out)
        self.assertTrue(out.endswith("tiny,size=1: t000000.00: \nTrue\n"))

    def test_without_run_only_time_0_is_allowed(self):
        script = "sim = [1]"
        code, out, _ = batch(['print(memuse_batch("tiny.ty", times=[0, 1], analysis_fn=print))'], script)
        self.assertIn("tiny: t000000.00: \n", out)
        self.assertIn("time 1 needs run(t)", out)
        self.assertTrue(out.endswith("False\n"))
        call = 'memuse_batch("tiny.ty", times=[1], run=lambda t: print("to", t), analysis_fn=print)'
        _, out, _ = batch([call], script)
        self.assertEqual(out, "to 1\ntiny: t000001.00: \n")

    def test_a_script_that_ends_itself(self):
        _, out, _ = batch(['print(memuse_batch("tiny.ty", analysis_fn=print))'], "raise SystemExit(0)")
        self.assertEqual(out, "tiny: t000000.00: \nTrue\n")
        _, out, _ = batch(['print(memuse_batch("tiny.ty", analysis_fn=print))'], "raise SystemExit(3)")
        self.assertIn("the script ended itself with 3", out)
        self.assertTrue(out.endswith("False\n"))

    def test_leaves_the_path_as_it_was(self):
        calls = ["import sys", "before = list(sys.path)", 'memuse_batch("tiny.ty", analysis_fn=print)']
        _, out, _ = batch([*calls, "print(sys.path == before)"])
        self.assertTrue(out.endswith("True\n"), os.linesep + out)


if __name__ == "__main__":
    unittest.main()
