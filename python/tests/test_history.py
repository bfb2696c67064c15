"""When the allocator's history is kept, when it rests, and what it takes."""

import os
import sys
import threading
import time
import types
import unittest
import unittest.mock

import beside  # noqa: F401

from highwater._inside.history import ENTRIES, ENTRY, STACK, History


GIB = 1 << 30


class Card:
    """torch with one card of 80 GiB, as far as the history asks."""

    def __init__(self, own=False):
        self.said = []  # calls of the history's switch
        self.stats = {
            "reserved_bytes": {"all": {"current": 0, "peak": 0}},
            "allocation": {"all": {"allocated": 0, "freed": 0}},
        }
        memory = types.SimpleNamespace(_record_memory_history=lambda *args, **how: self.said.append((*args, how)))
        self.cuda = types.SimpleNamespace(
            memory=memory,
            device_count=lambda: 1,
            memory_stats_as_nested_dict=lambda _: self.stats,
            get_device_properties=lambda _: types.SimpleNamespace(total_memory=80 * GIB),
            get_per_process_memory_fraction=lambda _: self.fraction,
        )
        self.fraction = 1.0
        self._C = types.SimpleNamespace(_cuda_isHistoryEnabled=lambda: own)

    def holds(self, gib):
        self.stats["reserved_bytes"]["all"] = {"current": gib * GIB, "peak": gib * GIB}

    def made(self, allocated, freed):
        self.stats["allocation"]["all"] = {"allocated": allocated, "freed": freed}


class Histories(unittest.TestCase):
    def begun(self, card, **env):
        history = History()
        with unittest.mock.patch.dict(os.environ, env), unittest.mock.patch("threading.Thread"):
            history.begin(card)
        return history

    def after(self, history, card, gib, now, steps):
        """Whether it is kept when so much is held at a moment."""
        card.holds(gib)
        history.steps = steps
        wanted = history.consider(now)
        if wanted is not None:
            history.switch(wanted)
        return history.kept

    def test_is_kept_until_a_training_is_set_up_and_has_stopped_growing(self):
        card = Card()
        history = self.begun(card)
        self.assertEqual(card.said, [("all", {"context": "alloc", "stacks": "python", "max_entries": ENTRIES})])
        self.assertTrue(self.after(history, card, 0, 0.0, 0))  # nothing is on the card yet
        self.assertTrue(self.after(history, card, 10, 100.0, 0))  # a model
        self.assertTrue(self.after(history, card, 10, 150.0, 0))  # which waits for its data
        self.assertTrue(self.after(history, card, 20, 301.0, 4))
        self.assertTrue(self.after(history, card, 20, 305.0, 5))  # grown four seconds ago
        self.assertFalse(self.after(history, card, 20, 312.0, 50))
        self.assertEqual(card.said[-1], (None, {}))

    def test_is_kept_again_for_a_while_when_more_is_held(self):
        card = Card()
        history = self.begun(card)
        self.after(history, card, 10, 0.0, 100)
        self.assertFalse(self.after(history, card, 10, 11.0, 200))
        self.assertFalse(self.after(history, card, 10.9, 12.0, 210))
        self.assertTrue(self.after(history, card, 11.1, 13.0, 220))
        self.assertFalse(self.after(history, card, 11.1, 24.0, 230))

    def test_is_kept_for_good_on_a_card_half_full(self):
        card = Card()
        history = self.begun(card)
        self.after(history, card, 35, 0.0, 100)
        self.assertFalse(self.after(history, card, 35, 11.0, 200))
        self.assertFalse(self.after(history, card, 38, 11.5, 205))
        self.assertTrue(self.after(history, card, 40, 12.0, 210))
        self.assertTrue(self.after(history, card, 37, 1000.0, 2000))  # no switching to and fro
        self.assertFalse(self.after(history, card, 35, 1001.0, 2001))

    def test_half_full_is_half_of_what_the_process_may_have(self):
        card = Card()
        card.fraction = 0.25
        history = self.begun(card)
        self.after(history, card, 8.5, 0.0, 100)
        self.assertFalse(self.after(history, card, 8.5, 11.0, 200))
        self.assertTrue(self.after(history, card, 10, 12.0, 200))

    def test_rests_in_a_program_that_takes_no_steps_after_a_minute(self):
        card = Card()
        history = self.begun(card)
        self.assertTrue(self.after(history, card, 10, 1000.0, 0))
        self.assertTrue(self.after(history, card, 10, 1059.0, 0))
        self.assertFalse(self.after(history, card, 10, 1061.0, 0))

    def test_a_peak_that_came_while_it_rested_is_waited_for_in_windows_that_become_rarer(self):
        card = Card()
        history = self.begun(card)
        self.peak(card, 5)
        history.peaks.capture = lambda *_: None  # which tells nothing
        self.after(history, card, 10, 0.0, 100)
        history.peaks.covered()
        self.assertFalse(self.after(history, card, 10, 11.0, 200))
        self.peak(card, 9)
        kept = [self.after(history, card, 10, now, 300) for now in range(12, 200)]
        begins = [at + 12 for at in range(1, len(kept)) if kept[at] and not kept[at - 1]]
        self.assertTrue(kept[0])
        self.assertEqual(len(begins), 2)  # about 20 seconds after the first window, and 60 after that
        history.peaks.covered()
        self.assertFalse(any(self.after(history, card, 10, now, 300) for now in range(220, 2000)))

    def peak(self, card, gib):
        card.stats["allocated_bytes"] = {"all": {"current": 0, "peak": gib * GIB}}

    def test_one_of_the_programs_own_is_left_alone(self):
        card = Card(own=True)
        self.begun(card)
        self.assertEqual(card.said, [])

    def test_one_that_the_program_starts_later_is_left_alone_until_it_ends(self):
        card = Card()
        history = self.begun(card)
        card.cuda.memory._record_memory_history(max_entries=7)
        self.assertEqual(card.said[1], ("all", {"max_entries": 7}))
        self.assertTrue(self.after(history, card, 10, 100.0, 100))
        self.assertTrue(self.after(history, card, 10, 200.0, 100))
        self.assertIsNone(history.bytes())
        self.assertEqual(len(card.said), 2)
        card.cuda.memory._record_memory_history(None)
        self.assertFalse(history.kept)
        self.assertTrue(self.after(history, card, 60, 300.0, 100))
        self.assertEqual(card.said[-1][0], "all")

    def test_is_switched_in_the_thread_that_started_CUDA(self):
        import highwater._inside.watch  # noqa: F401 (which asks the main thread by the same function of Python's)

        card = Card()
        threads = []
        switch = card.cuda.memory._record_memory_history
        card.cuda.memory._record_memory_history = lambda *args, **how: (
            threads.append(threading.current_thread()),
            switch(*args, **how),
        )
        history = History()
        with unittest.mock.patch("highwater._inside.history.EVERY_SECONDS", 0.001):
            history.begin(card)
            history._level = float("inf")  # nothing grows
            card.holds(1)
            history.steps = 100
            until = time.monotonic() + 20
            while len(threads) < 2 and time.monotonic() < until:
                time.sleep(0.001)
        self.assertEqual([args[0] for args in card.said], ["all", None])
        self.assertEqual(threads, [threading.main_thread()] * 2)
        card.cuda.device_count = None  # ends the thread

    def test_with_layers_it_is_kept_for_good_without_stacks(self):
        card = Card()
        self.begun(card, HIGHWATER_LAYERS="1")
        self.assertIsNone(card.said[0][1]["context"])

    def test_its_size_grows_with_allocations_and_ends_with_the_ring(self):
        card = Card()
        card.holds(1)
        card.made(1000, 100)
        history = self.begun(card)
        card.made(1010, 110)
        each = ENTRY + STACK // 3
        self.assertEqual(history.bytes(), 30 * each)
        card.made(5_000_000, 0)
        self.assertEqual(history.bytes(), ENTRIES * each)
        self.after(history, card, 1, 0.0, 100)
        self.after(history, card, 1, 100.0, 100)
        self.assertEqual(history.bytes(), 0)
        self.assertIsNone(History().bytes())
        self.assertEqual(History().counters(), {})

    def test_what_malloc_keeps_of_one_that_rests_is_still_told(self):
        card = Card()
        card.holds(1)
        history = self.begun(card)
        card.made(5_000_000, 0)
        held = history.bytes()
        sizes = iter([900_000_000, 900_000_000 - held // 4])
        with unittest.mock.patch("highwater._inside.history.anonymous", lambda: next(sizes)):
            with unittest.mock.patch("highwater._inside.history.malloc_in_use", lambda: None):
                self.after(history, card, 1, 0.0, 100)
                self.after(history, card, 1, 100.0, 100)
        self.assertEqual(history.counters(), {"history.bytes": 0, "history.left": held - held // 4})

    def test_what_malloc_got_back_is_told_and_the_next_one_is_guessed_by_it(self):
        card = Card()
        card.holds(1)
        history = self.begun(card)
        card.made(1000, 1000)
        guessed, told = history.bytes(), []
        sizes = iter([900_000_000, 900_000_000 - guessed // 2])
        with unittest.mock.patch("highwater._inside.history.agent.send", told.append):
            with unittest.mock.patch("highwater._inside.history.malloc_in_use", lambda: next(sizes)):
                history.switch(False)
        self.assertEqual(told[0]["values"], {"history.bytes": guessed, "history.measured": guessed // 2})
        history.switch(True)
        card.made(2000, 2000)
        self.assertEqual(history.bytes(), guessed // 2)

    def test_it_is_given_back_when_the_program_ends_but_not_by_a_forked_child(self):
        card = Card()
        history = self.begun(card)
        with unittest.mock.patch("os.getpid", lambda: -1):
            history._end()
        self.assertTrue(history.kept)
        history._end()
        self.assertEqual(card.said[-1], (None, {}))


if __name__ == "__main__":
    sys.exit(unittest.main())
