"""Data of arrays in heap(): nodes of their own. In a process without torch, whose heap takes long to walk."""

import unittest

import beside  # noqa: F401

from highwater import heap, hpy

try:
    import numpy
except ImportError:
    numpy = None


class Slot:
    __slots__ = ("held",)


def row(found, name):
    return next((one for one in found.stat.rows if one.name == name), None)


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(unittest.TestCase):
    def test_data_are_counted_once_apart_from_the_array(self):
        array = numpy.zeros(100_000)
        views = [array[number:] for number in range(5)]
        found = hpy().iso(array, *views).referents
        storages = [one for one in found.stat.rows if one.name == "storage of numpy"]
        self.assertEqual([(one.count, one.size) for one in storages], [(1, 800_000)])
        self.assertLess(hpy().iso(array).size, 200)

    def test_a_difference_has_no_words_of_ours_for_data(self):
        arrays = [numpy.zeros(10) for _ in range(200)]
        before = heap()
        arrays += [numpy.zeros(10) for _ in range(20)]
        after = heap()
        self.assertEqual([one.name for one in after.stat.rows if one.name.startswith("highwater._heap.")], [])
        fresh = after - before
        self.assertEqual(row(fresh, "storage of numpy").count, 20)
        self.assertLess(fresh.count, 100)
        self.assertEqual(len(arrays), 220)

    def test_data_have_the_same_name_by_type_and_their_librarys_module(self):
        data = hpy().iso(numpy.zeros(10)).referents
        self.assertEqual([one.name for one in data.bytype.stat.rows], ["storage of numpy"])
        self.assertEqual([one.name for one in data.bymodule.stat.rows], ["numpy"])

    def test_objects_in_an_array_are_found(self):
        hidden = Slot()
        array = numpy.array([hidden, None], dtype=object)
        del hidden
        self.assertEqual(row(heap(), __name__ + ".Slot").count, 1)
        self.assertEqual(len(array), 2)


if __name__ == "__main__":
    unittest.main()
