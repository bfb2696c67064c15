"""Forward passes as they are counted where no gradients are taken: by shape, of the outermost module only, and without a trace."""

import copy
import pickle
import threading
import time
import unittest

from needs import needs_torch, torch

from highwater._inside.passes import Passes


# At the top of a module, as it is pickled.
if torch is not None:

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Sequential(torch.nn.Embedding(50, 64), torch.nn.Linear(64, 512), torch.nn.Linear(512, 64))

        def forward(self, input_ids):
            return self.inner(input_ids)

        @torch.no_grad()
        def generate(self, input_ids):
            for _ in range(5):
                self(input_ids)
            return input_ids


class Busy:
    """Calls something in a thread until it is over."""

    def __init__(self, call):
        self._call = call
        self._over = False
        self.count = 0
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        while not self._over:
            self._call()
            self.count += 1

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over = True
        self._thread.join()


def rows_of(passes, seconds=0.0, trains=False):
    ends, rows = time.monotonic() + seconds, []
    while True:
        for message in passes.turn(time.monotonic_ns(), trains):
            rows += message.get("rows", ())
        if time.monotonic() > ends:
            return rows
        time.sleep(0.01)


def until(passes, what, wait=20.0):
    """Rows until there are some of that kind."""
    ends, rows = time.monotonic() + wait, []
    while time.monotonic() < ends and not any(row[0] == what for row in rows):
        rows += rows_of(passes, 0.05)
    return rows


@needs_torch
class PassesTest(unittest.TestCase):
    def setUp(self):
        self.passes = Passes(torch)
        self.addCleanup(self.passes.leave)
        self.model = Model().eval()

    def test_outermost_module_by_shape(self):
        shapes = [torch.zeros(2, 3, dtype=torch.int64), torch.zeros(4, 7, dtype=torch.int64)]
        turns = iter(range(10**9))
        with Busy(lambda: self.model(input_ids=shapes[next(turns) % 2])):
            rows = until(self.passes, "forward") + rows_of(self.passes, 0.5)
        rows += rows_of(self.passes)
        self.assertEqual({row[1] for row in rows}, {"Model"})
        self.assertEqual({row[2] for row in rows}, {"[2, 3]", "[4, 7]"})
        for row in rows:
            self.assertEqual(row[4], row[3] * (6 if row[2] == "[2, 3]" else 28))
            self.assertLessEqual(row[6], row[5])
            self.assertEqual(row[7:], [0, 0])  # no card, no peak

    def test_calls_of_generate_and_what_runs_in_them(self):
        with Busy(lambda: self.model.generate(torch.zeros(1, 9, dtype=torch.int64))):
            rows = until(self.passes, "generate")
        generated = [row for row in rows if row[0] == "generate"]
        self.assertEqual({(row[1], row[2]) for row in generated}, {("Model", "[1, 9]")})
        self.passes.leave()
        self.assertNotIn("highwater", Model.generate.__code__.co_filename)

    def test_a_compiled_module_is_counted_once(self):
        compiled = torch.compile(self.model, backend="eager")
        given = torch.zeros(2, 3, dtype=torch.int64)
        with torch.no_grad():
            before = compiled(given)
            with Busy(lambda: compiled(given)):
                rows = until(self.passes, "forward")
            self.assertTrue(torch.equal(before, compiled(given)))
        self.assertEqual({(row[1], row[2]) for row in rows}, {("OptimizedModule", "[2, 3]")})

    def test_compiled_in_place(self):
        self.model.compile(backend="eager")
        given = torch.zeros(2, 3, dtype=torch.int64)
        self.model(given)
        with Busy(lambda: self.model(given)):
            rows = until(self.passes, "forward")
        self.assertEqual({(row[1], row[2]) for row in rows}, {("Model", "[2, 3]")})

    def test_an_error_gets_through_and_the_next_pass_counts(self):
        given = torch.zeros(2, 3, dtype=torch.int64)
        with Busy(lambda: self.model(given)):
            until(self.passes, "forward")
        rows_of(self.passes)
        self.passes._put()
        with self.assertRaises(IndexError):
            self.model(given + 99)
        self.model(given)
        self.assertEqual(sum(row[3] for row in rows_of(self.passes)), 2)

    def test_copies_have_no_hook_and_none_is_left(self):
        given = torch.zeros(2, 3, dtype=torch.int64)
        with Busy(lambda: self.model(given)):
            until(self.passes, "forward")
        self.passes._put()
        self.assertTrue(self.model._forward_pre_hooks)
        for other in (copy.deepcopy(self.model), pickle.loads(pickle.dumps(self.model))):
            self.assertFalse(other._forward_pre_hooks)
            self.assertFalse(other._forward_hooks)
        self.passes.leave()
        self.assertFalse(self.model._forward_pre_hooks)
        self.assertFalse(self.model._forward_hooks)

    def test_what_ends_without_word_does_not_end_the_count(self):
        given = torch.zeros(2, 3, dtype=torch.int64)
        with Busy(lambda: self.model(given)):
            until(self.passes, "forward")
        rows_of(self.passes)
        self.passes._put()

        def interrupt(*_):
            raise KeyboardInterrupt

        handle = self.model.inner.register_forward_pre_hook(interrupt)
        with self.assertRaises(KeyboardInterrupt):
            self.model(given)
        handle.remove()
        self.model(given)
        self.assertEqual(sum(row[3] for row in rows_of(self.passes)), 1)

    def test_generate_that_runs_bit_by_bit_stays_what_it_is(self):
        class Streams(Model):
            def generate(self, input_ids):
                for _ in range(3):
                    yield self(input_ids)

        model, own = Streams().eval(), Streams.generate
        with Busy(lambda: list(model.generate(torch.zeros(2, 3, dtype=torch.int64)))):
            rows = until(self.passes, "forward") + rows_of(self.passes, 0.3)
        self.assertIs(Streams.generate, own)
        self.assertEqual({row[0] for row in rows}, {"forward"})

    def test_generate_that_asks_for_its_own_variables(self):
        class Asks(Model):
            @torch.no_grad()
            def generate(self, input_ids):
                given = dict(locals())
                return [self(given["input_ids"]) for _ in range(5)]

        model = Asks().eval()
        with Busy(lambda: model.generate(torch.zeros(1, 9, dtype=torch.int64))):
            rows = until(self.passes, "generate")
        self.assertEqual({row[1:3] == ["Asks", "[1, 9]"] for row in rows if row[0] == "generate"}, {True})

    def test_a_fork_counts_each_call_of_generate_once(self):
        given = torch.zeros(1, 9, dtype=torch.int64)
        with Busy(lambda: self.model.generate(given)):
            until(self.passes, "generate")
        self.passes._restart()  # as a child does that was forked
        with Busy(lambda: self.model.generate(given)) as busy:
            rows = until(self.passes, "generate") + rows_of(self.passes, 0.3)
        rows += rows_of(self.passes)
        self.assertEqual(sum(row[3] for row in rows if row[0] == "generate"), busy.count)

    def test_says_how_long_it_watched(self):
        given, said = torch.zeros(2, 3, dtype=torch.int64), []
        ends = time.monotonic() + 4
        with Busy(lambda: self.model(given)):  # so short that hooks would cost too much all the time
            while time.monotonic() < ends:
                said += self.passes.turn(time.monotonic_ns(), False)
                time.sleep(0.05)
        said += self.passes.turn(time.monotonic_ns(), False, last=True)
        values = [message["values"] for message in said if "values" in message]
        watched, known = values[-1]["passes.watched_ns"], values[-1]["passes.known_ns"]
        self.assertGreater(known, watched * 2)
        self.assertGreater(watched, 0)

    def test_nothing_of_a_training(self):
        given = torch.zeros(2, 3, dtype=torch.int64)
        with Busy(lambda: self.model(given)):
            until(self.passes, "forward")
            said = self.passes.turn(time.monotonic_ns(), True)
            self.assertEqual([message.get("values") for message in said], [{"passes.training": 1}])
            self.assertEqual(rows_of(self.passes, 0.2), [])


if __name__ == "__main__":
    unittest.main()
