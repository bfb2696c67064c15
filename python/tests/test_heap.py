"""heap() and its sets, held against what plain Python counts."""

import gc
import os
import sys
import tempfile
import unittest
import weakref

import beside  # noqa: F401

from highwater import heap, hpy, setrelheap
from highwater._heap import stat as stat_files
from highwater._heap import table
from highwater._heap.paths import relation


class Node:
    def __init__(self, number):
        self.name = "node of the test %d" % number
        self.links = [number]


class Slot:
    __slots__ = ("held",)


anchor = None


class Odd:
    """Answers with code of its own wherever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError("asked for %s" % name)

    def __sizeof__(self):
        raise RuntimeError("asked for its size")

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("compared")


def row(found, name):
    return next((one for one in found.stat.rows if one.name == name), None)


class Partition(unittest.TestCase):
    def setUp(self):
        self.keep = [Node(number) for number in range(300)]

    def test_counts_what_there_is_by_kind(self):
        found = heap()
        kind = __name__ + ".Node"
        self.assertEqual(row(found, kind).count, 300)
        self.assertEqual(row(found, kind).size, sum(map(sys.getsizeof, self.keep)))
        self.assertEqual(row(found, "dict of " + kind).count, 300)
        modules = [one for one in gc.get_objects() if type(one) is type(sys)]
        self.assertEqual(row(found, "module").count, len(modules))
        self.assertEqual(row(found, "dict of module").count, len({id(vars(one)) for one in modules}))
        self.assertEqual(found.count, sum(one.count for one in found.stat.rows))
        self.assertEqual(found.size, sum(one.size for one in found.stat.rows))

    def test_finds_what_the_collector_does_not_track(self):
        marks = {"a key of the test %d" % number: number + 10**6 for number in range(50)}
        found = heap()
        addresses = {id(one) for one in found.nodes}
        for key, value in marks.items():
            self.assertIn(id(key), addresses)
            self.assertIn(id(value), addresses)
        self.assertEqual(len(addresses), found.count)

    def test_finds_what_only_a_running_function_holds(self):
        def work():
            text = "held by %s alone" % "a variable"
            return id(text) in {id(one) for one in heap().nodes}

        self.assertTrue(work())

    def test_prints_ten_rows_and_more(self):
        found = heap()
        lines = str(found).splitlines()
        self.assertRegex(lines[0], r"^Partition of a set of \d+ objects\. Total size = \d+ bytes\.$")
        self.assertEqual(lines[1], " Index  Count   %     Size   % Cumulative  % Kind (class / dict of class)")
        self.assertRegex(lines[2], r"^     0 +\d+ +\d+ +\d+ +\d+ +\d+ +\d+ \S")
        self.assertEqual(len(lines), 13)
        self.assertEqual(lines[12], "<%d more rows. Type e.g. '_.more' to view.>" % (len(found) - 10))
        more = str(found.more).splitlines()
        self.assertEqual(more[0], lines[1])
        self.assertTrue(more[1].startswith("    10 "))
        # Long names go on in a line of their own, as in Heapy.
        rows = [line for line in str(found.all).splitlines()[2:] if line[:6].strip()]
        self.assertEqual(len(rows), len(found))

    def test_eleven_rows_are_all_shown(self):
        rows = [table.Row(1, 20 - number, "k%d" % number) for number in range(11)]
        lines = str(table.set_table(11, 165, "Kind", rows)).splitlines()
        self.assertEqual(len(lines), 13)
        self.assertEqual(lines[2], "     0      1   9       20  12        20  12 k0")

    def test_rows_and_slices_are_sets(self):
        found = heap()
        first = found[0]
        self.assertEqual(first.count, found.stat.rows[0].count)
        self.assertEqual(found[0:2].count, first.count + found[1].count)
        self.assertEqual((found[0] | found[1]).count, found[0:2].count)
        self.assertEqual((found[0] & found[1]).count, 0)
        self.assertEqual((found[0:2] - found[1]).count, first.count)
        self.assertEqual(first.kind, found.stat.rows[0].name)

    def test_odd_objects_are_only_looked_at(self):
        odd = [Odd() for _ in range(3)]
        found = heap()
        self.assertEqual(row(found, __name__ + ".Odd").count, len(odd))
        str(hpy().iso(*odd).byid)

    def test_tells_apart_in_other_ways(self):
        nodes = hpy().iso(*self.keep)
        self.assertEqual([one.name for one in nodes.bytype.stat.rows], [__name__ + ".Node"])
        self.assertEqual([one.name for one in nodes.bymodule.stat.rows], [__name__])
        self.assertEqual(len(nodes.byid), 300)
        sizes = nodes.bysize.stat.rows
        self.assertEqual(sum(int(one.name) * one.count for one in sizes), nodes.size)
        patterns = {one.name for one in nodes.byrcs.stat.rows}
        self.assertTrue(all("list" in one for one in patterns), patterns)


class Looking(unittest.TestCase):
    """What is looked at stays as it was, but for the dicts of plain instances."""

    def test_makes_no_dict_where_there_are_no_attributes(self):
        class Row(list):
            pass

        def helper():
            pass

        # An empty dict of annotations is none of attributes.
        self.assertEqual(helper.__annotations__, {})
        rows = [Row([number]) for number in range(20)]
        found = heap()
        self.assertIsNone(row(found, "dict of %s.Row" % __name__))
        rows[0].colour = "red"
        self.assertEqual(row(heap(), "dict of %s.Row" % __name__).count, 1)
        before = row(found, "dict of function")
        helper.attribute = 1
        self.assertEqual(row(heap(), "dict of function").count, 1 + (before.count if before else 0))


class Neighbours(unittest.TestCase):
    def test_referents_and_referrers(self):
        inner = ["inner"]
        holder = Slot()
        holder.held = inner
        found = hpy().iso(holder).referents
        self.assertTrue(any(one is inner for one in found.nodes))
        self.assertTrue(any(one is holder for one in hpy().iso(inner).referrers.nodes))

    def test_shortest_paths_have_names(self):
        # No variable of a function may hold them: that would be nearer.
        globals()["anchor"] = {"a key": [None, Node(1)]}
        try:
            text = str(hpy().iso(anchor["a key"][1].links).sp)
            self.assertIn("h.Root.i0_modules['%s'].__dict__['anchor']['a key'][1]." % __name__, text)
            self.assertRegex(text, r"(\.__dict__\['links'\]|\.links)$")
            anchor["slot"] = Slot()
            anchor["slot"].held = ["in a slot"]
            self.assertTrue(str(hpy().iso(anchor["slot"].held).sp).endswith("['slot'].held"))
        finally:
            globals()["anchor"] = None

    def test_more_paths(self):
        module = sys.modules[__name__]
        module.anchor = [[number] for number in range(15)]
        try:
            paths = hpy().iso(*module.anchor).shpaths
            self.assertEqual(len(paths), 15)
            self.assertTrue(str(paths).endswith("<... 5 more paths ...>"))
            self.assertIn("14: h.Root", str(paths.more))
        finally:
            del module.anchor

    def test_ten_paths_and_ten_more_until_the_last(self):
        module = sys.modules[__name__]
        module.anchor = [[number] for number in range(32)]
        try:
            more = hpy().iso(*module.anchor).shpaths.more.more
            self.assertRegex(str(more), r"^20: h\.Root")
            self.assertTrue(str(more).endswith("<... 2 more paths ...>"))
            self.assertRegex(str(more.more), r"^30: .*\n31: .*\]$")
        finally:
            del module.anchor

    def test_long_keys_are_cut_as_in_heapy(self):
        key = "_SharedWeightCFProjection__sharedcf"
        self.assertEqual(relation({key: self}, self), "['_SharedWeigh...ion__sharedcf']")
        self.assertEqual(relation({"x" * 28: self}, self), "['%s']" % ("x" * 28))

    def test_a_dict_is_called_what_it_is_to_its_owner(self):
        def work():
            pass

        work.note = 1
        self.assertEqual(relation(work, vars(work)), ".__dict__")
        self.assertEqual(relation(work, globals()), ".__globals__")
        self.assertEqual(relation(sys.modules[__name__], globals()), ".__dict__")
        owner = Node(1)
        self.assertEqual(relation(owner, owner.__dict__), ".__dict__")

    def test_nothing_leads_to_what_native_code_holds(self):
        self.assertEqual(str(hpy().iso()), "<Nothing>")


    def test_dicts_are_their_owners_without_a_heap_before(self):
        node = Node(1)
        kinds = {one.name for one in hpy().iso(node).referents.stat.rows}
        self.assertIn("dict of %s.Node" % __name__, kinds)

    def test_what_would_go_with_an_object(self):
        shared = ["held by another as well"]
        globals()["anchor"] = owner = Node(1)
        owner.links = ["a text of the test %d" % number for number in range(100)]
        owner.shared = shared
        del owner
        try:
            found = hpy().iso(anchor)
            size, addresses = found.domisize, {id(one) for one in found.dominos.nodes}
            parts = [anchor, anchor.__dict__, anchor.name, anchor.links, *anchor.links]
            self.assertEqual(size, sum(map(sys.getsizeof, parts)))
            self.assertEqual(addresses, set(map(id, parts)))
            del parts  # or it would hold them as well
            self.assertEqual(row(found.dominos, "dict of %s.Node" % __name__).count, 1)
            self.assertEqual(hpy().iso(shared[0]).domisize, sys.getsizeof(shared[0]))
        finally:
            globals()["anchor"] = None


class Relative(unittest.TestCase):
    def test_shows_only_what_came_since(self):
        setrelheap()
        try:
            fresh = [Node(number) for number in range(40)]
            found = heap()
            self.assertEqual(row(found, __name__ + ".Node").count, len(fresh))
            self.assertLess(found.count, 1000)
        finally:
            setrelheap(heap.nothing())
        self.assertGreater(heap().count, 5000)

    def test_difference_of_two(self):
        before = heap()
        fresh = [Node(number) for number in range(40)]
        after = heap()
        self.assertEqual(row(after - before, __name__ + ".Node").count, len(fresh))
        text = str(after.stat - before.stat)
        self.assertIn("Summary of difference operation (A-B).", text)
        self.assertRegex(text, r"(?m)^ +\d+     40 +\d+ +-?\d+ .* %s\.Node$" % __name__)

    def test_what_was_made_to_be_read_is_no_part_of_the_next_heap(self):
        before = heap()
        kept = [before.stat, before[0].sp, before[0].sp.more, before.more, before.stat - before.stat]
        for one in kept:
            str(one)
        self.assertEqual([one.name for one in heap().stat.rows if "highwater._heap." in one.name], [])
        self.assertLess((heap() - before).count, 100)

    def test_a_set_keeps_its_objects_and_lets_them_go(self):
        node = Node(1)
        gone = weakref.ref(node)
        found = hpy().iso(node)
        del node
        self.assertIsNotNone(gone())
        del found
        gc.collect()
        self.assertIsNone(gone())

    def test_figures_go_through_a_file(self):
        stat = heap().stat
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.stat")
            stat.dump(path)
            loaded = heap.load(path)
            self.assertEqual(str(loaded), str(stat))
            self.assertEqual(len(loaded - stat), 0)
            with open(path, "w") as file:
                file.write("nonsense\n")
            with self.assertRaisesRegex(ValueError, "holds no partition"):
                stat_files.load(path)


if __name__ == "__main__":
    unittest.main()
