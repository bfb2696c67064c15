"""Who holds the host's memory, by name, and what Python's own allocator has. Of torch and numpy where they are installed."""

import subprocess
import sys
import unittest

from needs import run

NAMES = """
    import sys
    from highwater._inside.held import survey

    class Store:
        shared = []
        def __init__(self):
            self.items = [bytes(1 << 20) for _ in range(30)]
            self.small = {str(i): i * 1.5 for i in range(50_000)}

    class Hostile(list):
        def __len__(self): raise SystemExit("asked for its length")
        def __iter__(self): raise SystemExit("iterated over")
        def __repr__(self): raise SystemExit("shown")
        def __sizeof__(self): raise SystemExit("asked for its size")
        def __getattribute__(self, name): raise SystemExit("asked for %s" % name)

    def closure():
        seen = []
        def add(one): seen.append(one)
        return add

    store = Store()
    hostile = Hostile()
    list.extend(hostile, [bytes(1 << 20) for _ in range(5)])
    text = "x" * (7 << 20)
    same = [text] * 1000
    add = closure()
    [add(bytearray(1 << 20)) for _ in range(9)]

    def work():
        rows = [[float(i * 1000 + j) for j in range(100)] for i in range(2_000)]
        return survey(sys.modules.get("torch"))

    for category, what, holder, count, size, small in work():
        print("%s|%s|%s|%d|%d|%d" % (category, what, holder, count, size, small))
"""


def told(script):
    code, out, err = run(script)
    if code:
        raise AssertionError(out + err)
    rows = [line.split("|") for line in out.splitlines() if "|" in line]
    return {row[2].split(" at ")[0]: (row[0], row[1], *map(int, row[3:])) for row in rows}, out


class Held(unittest.TestCase):
    def test_containers_and_texts_are_told_by_the_name_they_hang_on(self):
        held, out = told(NAMES)
        MiB = 1 << 20
        self.assertEqual(held["items of Store"][:2], ("container", "list"), out)
        self.assertAlmostEqual(held["items of Store"][3] / MiB, 30, delta=0.1)
        self.assertLess(held["items of Store"][4], 1024)
        # Keys and values are small objects; the table of the dict is malloc's.
        whole, small = held["small of Store"][3:]
        self.assertGreater(small, 50_000 * (24 + 40))
        self.assertGreater(whole - small, 50_000 * 24)
        self.assertAlmostEqual(held["hostile of __main__"][3] / MiB, 5, delta=0.1)
        self.assertAlmostEqual(sum(row[3] for name, row in held.items() if "seen of closure" in name) / MiB, 9, delta=0.1)
        # One text that a list has a thousand times is there once.
        self.assertAlmostEqual(held["text of __main__"][3] / MiB, 7, delta=0.1)
        self.assertNotIn("same of __main__", held)
        rows = [row for name, row in held.items() if name.startswith("rows in work()")]
        self.assertEqual(len(rows), 1, out)
        self.assertAlmostEqual(rows[0][3] / (2_000 * (100 * (24 + 8) + 100)), 1, delta=0.2)

    def test_arrays_once_and_views_by_what_they_look_at(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("numpy is not installed")
        held, out = told("""
            import sys, tempfile
            import numpy as np
            from highwater._inside.held import survey
            whole = np.ones(1 << 20)
            half = whole[: 1 << 19]
            only_view = np.ones((1 << 10, 1 << 10))[::2]
            batches = [np.ones(1 << 16) for _ in range(200)]
            file = tempfile.NamedTemporaryFile()
            on_disk = np.memmap(file.name, dtype="u1", mode="w+", shape=(8 << 20,))
            for row in survey(None):
                print("|".join(map(str, row)))
        """)
        self.assertEqual(held["whole of __main__"][3], 8 << 20, out)
        self.assertNotIn("half of __main__", held)
        self.assertEqual(held["only_view of __main__"][3], 8 << 20)
        self.assertAlmostEqual(held["batches of __main__"][3] / (200 << 19), 1, delta=0.01)
        self.assertNotIn("on_disk of __main__", held)

    def test_tensors_by_what_they_are(self):
        try:
            import torch  # noqa: F401
        except ImportError:
            self.skipTest("torch is not installed")
        code, out, err = run("""
            import torch
            from highwater._inside.held import survey
            model = torch.nn.Sequential(torch.nn.Linear(1000, 1000, bias=False), torch.nn.BatchNorm1d(1000))
            optimizer = torch.optim.Adam(model.parameters())
            loss = model(torch.ones(4, 1000)).sum()
            loss.backward()
            optimizer.step()
            cache = {i: torch.ones(1 << 18) for i in range(8)}
            def work():
                staged = [torch.ones(1 << 18) for _ in range(6)]
                return survey(torch)
            for row in work():
                print("|".join(map(str, row)))
        """)
        self.assertEqual(code, 0, err)
        sizes = {}
        for line in out.splitlines():
            category, _, holder, _, size, _ = line.split("|")
            sizes[category, holder.split(" at ")[0]] = int(size)
        self.assertAlmostEqual(sizes["parameter", ""] / 4e6, 1, delta=0.01)
        self.assertAlmostEqual(sizes["gradient", ""] / 4e6, 1, delta=0.01)
        self.assertAlmostEqual(sizes["optimizer state", ""] / 8e6, 1, delta=0.01)
        self.assertEqual(sizes["tensor", "dict of 8 in cache of __main__"], 8 << 20, out)
        self.assertEqual(sizes["tensor", "list of 6 in staged in work()"], 6 << 20)


class SmallObjects(unittest.TestCase):
    def test_are_told_as_the_interpreter_counts_them(self):
        from highwater._small_objects import small_objects

        before = small_objects()
        kept = [object() for _ in range(200_000)]
        after = small_objects()
        self.assertAlmostEqual((after[0] - before[0]) / (len(kept) * 16), 1, delta=0.05)
        self.assertGreaterEqual(after[1], after[0])

    def test_are_unknown_where_malloc_has_them(self):
        code = "import sys; sys.path.insert(0, %r); from highwater._small_objects import small_objects; print(small_objects())"
        from beside import PACKAGE

        done = subprocess.run(
            [sys.executable, "-c", code % str(PACKAGE)], env={"PYTHONMALLOC": "malloc"}, capture_output=True, text=True
        )
        self.assertEqual(done.stdout.strip(), "None", done.stderr)


if __name__ == "__main__":
    unittest.main()
