"""Objects that are still in the making: neither held nor iterated over by us, and never asked in the program's words."""

import gc
import sys
import threading
import unittest
import weakref
from array import array

import beside  # noqa: F401

from highwater import heap, memuse
from highwater._names import holders
from highwater._whole import whole_objects, whole_referrers


class Anchor:
    pass


class InTheMaking(unittest.TestCase):
    def test_a_tuple_is_left_alone_by_the_thread_that_makes_it(self):
        def numbers():
            anchor = Anchor()
            yield anchor
            self.kept = heap(), whole_objects(), whole_referrers([anchor])
            yield 2
            memuse.allsizes(baseline=False)
            yield from range(30)  # it is made longer several times

        self.assertEqual(len(tuple(numbers())), 32)
        self.kept = None

    def test_a_tuple_is_left_alone_while_others_make_it(self):
        ended, errors, made = threading.Event(), [], []

        def work():
            while not ended.is_set():
                try:
                    made.append(len(tuple(number for number in range(500))))
                except SystemError as error:
                    errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(2)]
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            for thread in threads:
                thread.start()
            for _ in range(20):
                whole_objects()
            heap()
        finally:
            ended.set()
            for thread in threads:
                thread.join()
            sys.setswitchinterval(before)
        self.assertEqual((errors, set(made)), ([], {500}))

    def test_nothing_is_held_by_having_asked(self):
        gc.disable()
        self.addCleanup(gc.enable)
        one = Anchor()
        gone = weakref.ref(one)
        whole_objects()
        whole_referrers([one])
        del one
        self.assertIsNone(gone())

    def test_what_was_made_for_asking_is_told(self):
        ours = set()
        found = whole_objects(ours)
        kinds = {type(one).__name__ for one in found if id(one) in ours}
        self.assertLessEqual({"chain", "compress", "map"}, kinds)
        self.assertFalse(any(one is found for one in found))


class Finished(unittest.TestCase):
    def test_tuples_are_found_by_what_holds_them(self):
        deep = Anchor()
        self.held = [(("a tuple of the test", deep),), frozenset(["in a frozenset of the test"])]
        addresses = {id(one) for one in heap().nodes}
        for one in (*self.held, self.held[0][0], self.held[0][0][0], *self.held[1]):
            self.assertIn(id(one), addresses)
        self.pairs = [("a pair of the test", [1, 2, 3])]
        self.assertIn("tuple of 2 in list of 1", holders([self.pairs[0][1]])[0])

    def test_their_parts_have_names(self):
        self.held = [(1, ("the part of a tuple",))]
        self.assertIn("[0][1][0]", str(heap.iso(self.held[0][1][0]).sp))


class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError("asked for %s" % name)

    def __eq__(cls, other):
        raise RuntimeError("compared")

    __hash__ = None


class Trap(metaclass=Meta):
    @property
    def __class__(self):
        raise RuntimeError("asked for its class")

    def __sizeof__(self):
        raise RuntimeError("asked for its size")


class Words(unittest.TestCase):
    def test_no_class_and_no_object_is_asked_in_its_own(self):
        self.trap = object.__new__(Trap)
        self.assertEqual(sum(type(one) is Trap for one in heap().nodes), 1)
        self.assertIn("test_whole.Trap", heap.iso(self.trap).kind)
        self.assertGreater(memuse.asizeof([self.trap]), 0)
        self.assertIn("trap", str(heap.iso(self.trap).sp))


class Frame:
    """As a data frame of pandas: its size is that of all it holds."""

    def __init__(self):
        self.column = bytearray(1 << 20)

    def __sizeof__(self):
        return object.__sizeof__(self) + sys.getsizeof(self.column)


class Deep(unittest.TestCase):
    def test_what_an_object_holds_is_counted_once(self):
        self.frame = Frame()
        self.assertLess(memuse.asizeof(self.frame) - (1 << 20), 4096)
        self.assertLess(heap.iso(self.frame).size, 4096)

    def test_a_size_that_is_compiled_is_asked(self):
        self.assertGreater(memuse.asizeof(array("d", bytes(1 << 20))), 1 << 20)


class Unlocked(unittest.TestCase):
    def test_threads_without_a_lock_are_refused(self):
        before = getattr(sys, "_is_gil_enabled", None)
        sys._is_gil_enabled = lambda: False
        try:
            for question in (heap, lambda: heap.dump("x.hwheap")):
                with self.assertRaisesRegex(RuntimeError, "without a global lock"):
                    question()
        finally:
            del sys._is_gil_enabled
            if before is not None:
                sys._is_gil_enabled = before


if __name__ == "__main__":
    unittest.main()
