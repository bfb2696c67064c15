"""Which of a program's objects grow, how large they are, and what they are called. Standard library only."""

import gc
import unittest
import weakref
from collections import OrderedDict, defaultdict, deque
from functools import lru_cache

import beside  # noqa: F401

from highwater._names import holders
from highwater._inside.objects import Objects, size_of

cache = {}
nested = {"inner": None}


class Keeper:
    shared = []

    def __init__(self):
        self.history = []


class Slots:
    __slots__ = ("buffer",)


def closure():
    kept = []

    def step(one):
        kept.append(one)

    return step


def by_default(one, seen=[]):  # noqa: B006
    seen.append(one)


def by_keyword(one, *, noted=[]):  # noqa: B006
    noted.append(one)


@lru_cache(maxsize=None)
def cached(one):
    return one + "!"


def generator():
    got = []
    while True:
        got.append((yield))


class FunctionsAndSlots(unittest.TestCase):
    def test_caches_and_generators_are_named_in_a_survey(self):
        values = generator()
        next(values)
        objects = Objects()
        for count in (40, 80, 120):
            for i in range(count):
                text = "%s%d-%d" % ("x" * 5000, i, count)
                values.send(text)
                cached(text)
            names = [row[3] for row in objects.survey(count * 1_000_000_000) if row[0] == "container"]
        self.assertIn("got in generator()", names)
        self.assertTrue([name for name in names if name.startswith("lru_cache of function cached at ")], names)

    def test_closures_defaults_attributes_and_slots_are_named(self):
        self.slots = Slots()
        self.slots.buffer = []
        by_default.log = ["x"]
        step = closure()
        step("one")
        line = r" at \S*test_objects\.py:\d+$"
        asked = (
            (step.__closure__[0].cell_contents, r"^kept of closure closure\.<locals>\.step" + line),
            (by_default.__defaults__[0], "^seen of function by_default" + line),
            (by_keyword.__kwdefaults__["noted"], "^noted of function by_keyword" + line),
            (by_default.log, "^log of function by_default" + line),
            (self.slots.buffer, "^buffer of Slots$"),
        )
        names = [name for _, name in asked]
        values = [value for value, _ in asked]
        del asked
        for found, name in zip(holders(values), names):
            self.assertRegex(found, name)


class Looks(unittest.TestCase):
    def setUp(self):
        cache.clear()
        self.objects = Objects()
        self.second = 0

    def look(self):
        self.second += 1
        rows = self.objects.survey(self.second * 1_000_000_000)
        return {(row[1], row[3]): row for row in rows if row[0] == "container"}

    def test_tell_a_dict_that_grows_with_its_name_and_size(self):
        # Numbers and texts only: a dict that Python's collector does not know.
        fill = lambda n: cache.update((i, "x" * 10_000 + str(i)) for i in range(n))  # noqa: E731
        fill(100)
        self.look()
        fill(300)
        kind, name, of, holder, count, grown, seconds, size = self.look()[("dict", "cache of %s" % __name__)]
        self.assertEqual((of, count, grown, seconds), ("str", 300, 200, 1.0))
        self.assertAlmostEqual(size / 3_000_000, 1, delta=0.1)
        fill(400)
        self.assertEqual(self.look()[("dict", "cache of %s" % __name__)][4:7], [400, 300, 2.0])

    def test_say_nothing_of_what_stays_or_shrinks(self):
        cache.update((i, [i]) for i in range(1000))
        self.look()
        self.assertEqual(self.look(), {})
        for i in range(900):
            del cache[i]
        self.assertEqual(self.look(), {})

    def test_begin_anew_after_a_container_was_emptied(self):
        held = self.held = deque(["y" * 3000 + str(i) for i in range(100)])
        self.look()
        held.clear()
        held.extend("y" * 3000 + str(i) for i in range(50))
        self.look()
        held.extend("z" * 3000 + str(i) for i in range(30))
        [row] = [row for (kind, _), row in self.look().items() if kind == "deque"]
        self.assertEqual(row[4:7], [80, 30, 1.0])

    def test_count_objects_by_type(self):
        self.look()
        self.keepers = [Keeper() for _ in range(5000)]
        rows = [row for row in self.objects.survey(9_000_000_000) if row[0] == "type" and "Keeper" in row[1]]
        self.assertEqual([row[5] for row in rows], [5000])
        self.assertEqual(rows[0][1], "%s.Keeper" % __name__)

    def test_keep_nothing_alive(self):
        keeper = Keeper()
        keeper.history = [object() for _ in range(200)]
        gone = weakref.ref(keeper)
        self.look()
        keeper.history.extend(object() for _ in range(200))
        self.look()
        del keeper
        self.assertIsNone(gone())
        Passing = type("Passing", (), {})
        gone = weakref.ref(Passing)
        self.look()
        del Passing
        gc.collect()
        self.assertIsNone(gone())


class Sizes(unittest.TestCase):
    def test_count_what_a_container_alone_holds(self):
        self.assertAlmostEqual(size_of([bytes(1000) for _ in range(5000)]) / 5_170_000, 1, delta=0.05)
        one = bytes(1_000_000)
        self.assertLess(size_of([one] * 5000), 100_000)

    def test_look_into_what_lies_within(self):
        rows = [{"text": "a" * 500 + str(i), "numbers": [float(i + k) for k in range(50)]} for i in range(1000)]
        self.assertAlmostEqual(size_of(rows) / 1000 / (184 + 553 + 456 + 50 * 24), 1, delta=0.25)


class Names(unittest.TestCase):
    def name(self, value):
        # As a list of one, which is left out by itself.
        return holders([value])[0]

    def test_of_modules_objects_classes_and_dicts(self):
        keeper = Keeper()
        self.assertEqual(self.name(keeper.history), "history of Keeper")
        keeper.__dict__["more"] = ["more"]
        self.assertEqual(self.name(keeper.__dict__["more"]), "more of Keeper")
        self.assertEqual(self.name(Keeper.shared), "shared of class Keeper")
        nested["inner"] = [1, 2, 3]
        self.assertEqual(self.name(nested["inner"]), "inner in nested of %s" % __name__)

    def test_of_variables_of_a_function_that_runs(self):
        def train():
            losses = [Keeper() for _ in range(5)]
            return holders([losses]) + holders([losses[0]])

        self.assertEqual(train(), ["losses in train()", "list of 5 in losses in train()"])

    def test_a_look_leaves_variables_as_they_are(self):
        def train():
            loss = Keeper()
            gone = weakref.ref(loss)
            self.name([])
            del loss
            return gone()

        self.assertIsNone(train())

    def test_a_function_that_asks_for_its_own_variables_keeps_them(self):
        def train():
            rate = 3
            settings = locals()
            rate = 4
            self.name([])
            return rate, settings

        rate, settings = train()
        self.assertEqual((rate, settings["rate"]), (4, 3))



class HostileKept(dict):
    def __len__(self):
        raise SystemExit("asked for its length")

    def values(self):
        raise SystemExit("asked for its values")


class HoldersOfAllKinds(unittest.TestCase):
    def test_ordered_dicts_deques_and_classes_made_of_dicts_hold_too(self):
        def value():
            return [object()]

        keeper = Keeper()
        keeper.by_hash = OrderedDict((number, [(value(), value())]) for number in range(3))
        queue = deque(value() for _ in range(4))
        by_key = defaultdict(list)
        by_key[3].append(value())
        hostile = HostileKept()
        dict.__setitem__(hostile, 1, value())
        wanted = [keeper.by_hash[2][0][1], queue[1], by_key[3][0], dict.get(hostile, 1)]
        name = "in test_ordered_dicts_deques_and_classes_made_of_dicts_hold_too()"
        self.assertEqual(
            holders(wanted),
            [
                "tuple of 2 in list of 1 in OrderedDict of 3 in by_hash of Keeper",
                "deque of 4 in queue " + name,
                "list of 1 in defaultdict of 1 in by_key " + name,
                "HostileKept of 1 in hostile " + name,
            ],
        )


if __name__ == "__main__":
    unittest.main()
