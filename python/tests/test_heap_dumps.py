"""Dumps of a heap to files, and what there is beyond Python."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings

from beside import PACKAGE

from highwater import heap


class Slot:
    __slots__ = ("held",)


class Dumps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "x.hwheap")

    def test_a_forked_child_writes_and_leaves_no_trace(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            taken = heap.dump(self.path)
        figures = taken.wait()
        self.assertEqual(figures["mode"], "fork")
        self.assertGreater(figures["objects"], 5000)
        self.assertEqual(os.listdir(self.folder.name), ["x.hwheap"])
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)  # the program has no child that it did not make

    def test_inside_and_forked_see_the_same(self):
        gc.collect()  # no longer tracks parts of code objects, which only its list tells
        first = heap.dump(self.path, "inside").wait()
        second = heap.dump(self.path, "fork").wait()
        self.assertEqual(first["mode"], "inside")
        self.assertLess(abs(first["objects"] - second["objects"]), 200)

    def test_names_what_types_always_hold_in_order(self):
        from highwater._heap.layouts import Layouts
        from highwater._heap.traversal import PLAIN
        from highwater._heap.walk import Walk

        class Lower(Slot):
            __slots__ = ("also",)

        class Over(list):
            __slots__ = ("extra",)

        empty, full, over = Lower(), Lower(), Over([1])
        full.held, full.also, over.extra = [1], [2], [3]

        def names(*objects):
            layouts = Layouts()
            for piece in Walk().split(list(objects)):
                self.assertEqual(piece.sort, PLAIN)
                layouts.learn(piece)
            return layouts.names.get(id(type(objects[0])))

        self.assertEqual(names(empty, full), ("also", "held", "__class__"))
        self.assertIsNone(names(empty))  # of one that is not filled nobody knows which is missing
        self.assertIsNone(names(over))  # its items come between
        self.assertEqual(names(self.setUp), ("__func__", "__self__"))

    def test_threads_that_hold_locks_do_not_stop_it(self):
        lock, done = threading.Lock(), threading.Event()

        def hold():
            with lock:
                done.wait(30)

        thread = threading.Thread(target=hold)
        thread.start()
        try:
            self.assertGreater(heap.dump(self.path).wait()["objects"], 5000)
        finally:
            done.set()
            thread.join()

    def test_errors_are_one_line(self):
        with self.assertRaisesRegex(FileNotFoundError, "no such folder: /no/where"):
            heap.dump("/no/where/x.hwheap")
        with self.assertRaisesRegex(ValueError, "mode is 'never'"):
            heap.dump(self.path, "never")
        os.mkdir(self.path)
        with self.assertRaisesRegex(RuntimeError, "IsADirectoryError"):
            heap.dump(self.path).wait()

    def test_answers_a_request(self):
        from highwater._heap.answer import answer

        self.assertEqual(answer({"file": self.path})["file"], self.path)
        with self.assertRaisesRegex(ValueError, "absolute path"):
            answer({"file": "x.hwheap"})

    def test_the_program_may_end_before_its_dump(self):
        script = "from highwater import heap\nheap.dump(%r)" % self.path
        env = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        subprocess.run([sys.executable, "-W", "error", "-c", script], env=env, check=True, timeout=120)
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(8), b"HWHEAP\r\n")

    @unittest.skipUnless(sys.platform == "linux", "only Linux tells how large a process is")
    def test_the_child_cannot_fill_the_machine(self):
        from highwater._fork import in_child

        self.assertEqual(in_child(lambda: {"bytes": len(bytes(100 << 20))}).wait(), {"bytes": 100 << 20})
        with self.assertRaisesRegex(RuntimeError, "more memory than twice what the program has and 1 GiB"):
            in_child(lambda: {"bytes": len([bytes(1 << 20) for _ in range(100_000)])}).wait()

    def test_what_is_counted_beyond_the_resident_size_is_not_explained(self):
        from highwater._heap.non_python_memory import ABSENT, ADVICE, non_python_memory
        from highwater._sizes.account import _OVER

        self.assertEqual(non_python_memory({"rss": 100}, 80, 60), {ABSENT: -40})
        for said in (ADVICE[ABSENT], _OVER):
            self.assertRegex(said, "not measured (which|why)")

    def test_frozen_objects_are_seen(self):
        script = """
            import gc, json
            from highwater import heap
            class Frozen: pass
            keep = [Frozen() for _ in range(20)]
            for one in keep: one.x = 1
            gc.freeze()
            rows = {row.name: row.count for row in heap().stat.rows}
            print(json.dumps([rows.get("__main__.Frozen"), rows.get("dict of __main__.Frozen")]))
        """
        env = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        command = [sys.executable, "-c", textwrap.dedent(script)]
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, timeout=120)
        self.assertEqual(json.loads(done.stdout), [20, 20])


class Accounting(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "only Linux tells what a process is made of")
    def test_adds_up_to_the_resident_size(self):
        text = str(heap().beyond)
        sizes = [float(line.split(" MiB")[0]) for line in text.splitlines()[1:] if " MiB  " in line]
        total = float(text.split(": ")[1].split(" MiB")[0])
        self.assertAlmostEqual(sum(sizes), total, delta=0.1 * len(sizes))
        self.assertIn("native libraries and mapped files", text)


if __name__ == "__main__":
    unittest.main()
