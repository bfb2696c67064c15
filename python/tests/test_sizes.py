"""Sizes of objects by the rules of sys.getsizeof, the words of the original, requests. Standard library only."""

import array
import collections
import gc
import io
import json
import pathlib
import sys
import unittest

from needs import run

from highwater import _agent, _requests, memuse
from highwater._sizes import words

REQUESTS = pathlib.Path(__file__).resolve().parents[2] / "test" / "fixtures" / "agent" / "requests.ndjson"
MIB = 1024**2


def aligned(*objects):
    """The rule: each object's own size, rounded up to 8."""
    return sum((sys.getsizeof(one) + 7) // 8 * 8 for one in objects)


class Slots:
    __slots__ = ("x", "y")

    def __init__(self):
        self.x = [10**20, 10**21]
        self.y = "hello"


class Plain:
    def __init__(self):
        self.a = 10**20
        self.b = [10**21]


class Objects(unittest.TestCase):
    def test_nested(self):
        inner = (1000, 2.5)
        text = "a key of its own"
        outer = {text: [inner]}
        self.assertEqual(memuse.asizeof(outer), aligned(outer, text, outer[text], inner, *inner))

    def test_shared_parts_count_once_and_cycles_end(self):
        part = [1.5, 2.5]
        self.assertEqual(memuse.asizeof([part, part]), aligned([0, 0], part, *part))
        ring = [3.5]
        ring.append(ring)
        self.assertEqual(memuse.asizeof(ring), aligned(ring, ring[0]))

    def test_several_objects_together(self):
        part = [1.5]
        self.assertEqual(memuse.asizeof(part, [part]), aligned(part, part[0], [0]))

    def test_slots(self):
        one = Slots()
        self.assertEqual(memuse.asizeof(one), aligned(one, one.x, *one.x, one.y))

    def test_instances_with_a_dict_that_was_made(self):
        one = Plain()
        held = one.__dict__  # makes it
        parts = aligned(one, one.a, one.b, one.b[0])
        # From 3.13 on the values stay in the object, and the collector does not tell of the dict over them.
        inside = sys.version_info >= (3, 13)
        self.assertEqual(memuse.asizeof(one), parts if inside else parts + aligned(held, *held))

    def test_measuring_an_instance_makes_no_dict(self):
        one = Plain()
        before = [id(held) for held in gc.get_referents(one)]
        size = memuse.asizeof(one)
        self.assertEqual([id(held) for held in gc.get_referents(one)], before)
        self.assertGreaterEqual(size, aligned(one, one.a, one.b, one.b[0]))

    def test_containers_of_the_library(self):
        queue = collections.deque([1.5, 2.5])
        self.assertEqual(memuse.asizeof(queue), aligned(queue, *queue))
        ordered = collections.OrderedDict(somewhat=2.5)
        self.assertGreaterEqual(memuse.asizeof(ordered), aligned(ordered, "somewhat", 2.5))

    def test_depth_is_no_limit_unless_wanted(self):
        deep = []
        for _ in range(5000):
            deep = [deep]
        self.assertEqual(memuse.asizeof(deep), 5000 * aligned([0]) + aligned([]))
        self.assertEqual(memuse.asizeof(deep, limit=2), 3 * aligned([0]))
        self.assertEqual(memuse.asizeof(deep, limit=0), aligned([0]))

    def test_align(self):
        text = "x" * 11
        self.assertEqual(memuse.asizeof(text, align=1), sys.getsizeof(text))
        self.assertEqual(memuse.asizeof(text, align=64) % 64, 0)
        for wrong in (0, 3):
            with self.assertRaises(ValueError):
                memuse.asizeof(text, align=wrong)
        with self.assertRaises(ValueError):
            memuse.asizeof(text, limit=-1)

    def test_code_is_left_out_unless_wanted(self):
        held = [Slots, len, memuse, (lambda: 1)]
        self.assertEqual(memuse.asizeof(held), aligned(held))
        self.assertGreater(memuse.asizeof(held, code=True), aligned(held, Slots, held[3]))

    def test_a_function_is_not_its_module(self):
        self.assertLess(memuse.asizeof(memuse.topsize), 5000)

    def test_a_size_that_fails_is_no_failure(self):
        class Bad:
            def __sizeof__(self):
                raise RuntimeError

        self.assertEqual(memuse.asizeof([Bad()]) % 8, 0)


class Buffers(unittest.TestCase):
    def test_buffers_are_counted_and_shown_apart(self):
        for made, size in ((bytearray(5000), 5000), (array.array("d", range(1000)), 8000)):
            sized = memuse.asized(made)
            self.assertEqual(sized.size, aligned(made))
            self.assertGreaterEqual(sized.arrays, size)
            self.assertLess(sized.size - sized.arrays, 200)
            self.assertEqual(memuse.simsize([made]), memuse.asizeof([made]) - memuse.n_bytes([made]))

    def test_a_view_counts_what_it_looks_at_once(self):
        data = bytearray(100_000)
        views = [memoryview(data), memoryview(data)[10:20]]
        self.assertLess(memuse.n_bytes(views), 100_200)
        self.assertGreaterEqual(memuse.n_bytes(views), 100_000)


class Details(unittest.TestCase):
    def test_detail_names_what_is_held(self):
        part = [1.5, 2.5]
        sized = memuse.asized({"first": part, "second": part}, detail=1)
        by_name = {ref.name: ref.size for ref in sized.refs}
        self.assertEqual(by_name["[V] 'first'"], aligned(part, *part))
        self.assertEqual(by_name["[V] 'second'"], 0)
        self.assertEqual(sized.size, memuse.asizeof({"first": part, "second": part}))
        self.assertIn("    [V] 'first' size=", sized.format())

    def test_stats_and_detail_print(self):
        out = io.StringIO()
        size = memuse.asizeof([bytearray(1000), "text"], stats=1, detail=1, out=out)
        self.assertIn("builtins.bytearray", out.getvalue())
        self.assertIn("2 more types", out.getvalue())
        self.assertIn("size=%d" % size, out.getvalue())


class Words(unittest.TestCase):
    def test_the_lines_of_the_guide(self):
        sizes = {"topsize": 52 * MIB + 1000, "simsize": 10 * MIB + 5, "wtsize": 15908552}
        self.assertEqual(
            words.one_line(sizes), "topsize:52m =? code + simsize:10MB + wtsize:15MB (25MB tot)"
        )
        self.assertEqual(
            words.sentence(2197512, 15908552),
            "Defined 2197512-connection network; 15MB required for weight storage.",
        )
        self.assertEqual(words.sentence(1, 0), "Defined 1-connection network; 1MB required for weight storage.")

    def test_sizes_as_top_writes_them(self):
        for size, word in ((2908 * 1024, "2908"), (10 * MIB, "10m"), (1434 * MIB, "1.4g"), (14 * 1024 * MIB, "14g")):
            self.assertEqual(words.top(size), word)

    def test_topsize(self):
        self.assertGreater(memuse.topsize(), 4 * MIB)
        self.assertRegex(memuse.topsize_mb(), r"^topsize:\d+(\.\d)?[mg]?$")


class Accounting(unittest.TestCase):
    def test_the_parts_make_up_the_whole(self):
        code, out, _ = run(
            """
            import json
            from highwater import memuse
            data = [{"number": i, "text": str(i) * 10} for i in range(60_000)]
            block = bytearray(20_000_000)
            print(json.dumps(memuse.allsizes()))
            def main():
                local = bytearray(30_000_000)
                print(memuse.allsizes_mb(data))
                print(memuse.n_bytes() // 1_000_000)
            main()
            """
        )
        self.assertEqual(code, 0)
        sizes = json.loads(out.splitlines()[0])
        self.assertGreaterEqual(sizes["wtsize"], 20_000_000)
        self.assertGreater(sizes["simsize"], 60_000 * 200)
        self.assertGreater(sizes["code"]["loaded"], MIB)
        self.assertAlmostEqual(sizes["explained"] / sizes["topsize"], 1, delta=0.1)
        parts = sizes["explained"] + sum(size for _, size in sizes["rest"])
        self.assertAlmostEqual(parts / sizes["topsize"], 1, delta=0.03)
        self.assertEqual(out.splitlines()[-1], "50")
        # Of one root only, both blocks are named in the rest.
        self.assertRegex(out, r"topsize:\d+m =\? code \+ simsize:\d+MB \+ wtsize:0MB \(\d+MB tot\)")
        self.assertRegex(out, r"the rest: .*arrays outside the root (47|48)")


class Requests(unittest.TestCase):
    def test_encodes_the_golden_messages_to_the_byte(self):
        for line in REQUESTS.read_bytes().splitlines(keepends=True):
            self.assertEqual(_agent.encode(json.loads(line)), line)

    def test_answers_the_golden_request(self):
        (line,) = [line for line in REQUESTS.read_bytes().splitlines() if b'"request"' in line]
        answer = _requests._answer(line)
        self.assertEqual((answer["type"], answer["id"], answer["what"]), ("answer", 7, "sizes"))
        self.assertGreater(answer["value"]["topsize"], MIB)
        self.assertIsNone(answer["value"]["code"]["loaded"])
        self.assertIn("json", answer["value"]["imports"]["modules"])

    def test_says_what_it_cannot_answer_and_ignores_nonsense(self):
        answer = _requests._answer(b'{"type":"request","id":1,"what":"coffee"}')
        self.assertEqual((answer["id"], answer["error"]), (1, "KeyError: 'coffee'"))
        for line in (b"", b"null", b"{", b"[1]", b'{"type":"request"}', b'{"type":"x","id":1,"what":"sizes"}'):
            self.assertIsNone(_requests._answer(line))


if __name__ == "__main__":
    unittest.main()
