"""Looks from a thread of ours: the program neither runs meanwhile, nor do its objects end in our thread."""

import os
import sys
import threading
import time
import unittest

import beside  # noqa: F401

from highwater import _alone
from highwater._alone import alone
from highwater._memory import Looks

SPAN = 2.0


class Ends:
    """Says in which thread it went."""

    def __init__(self, threads):
        self.threads = threads
        self.links = [[] for _ in range(200)]

    def __del__(self):
        self.threads.add(threading.get_ident())


class Alone(unittest.TestCase):
    def setUp(self):
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())

    def for_long(self):
        """On a busy machine a thread may stand still for longer than a look may take."""
        self.addCleanup(setattr, _alone, "LONGEST_SECONDS", _alone.LONGEST_SECONDS)
        _alone.LONGEST_SECONDS = 30.0

    def test_objects_end_in_the_program_s_thread(self):
        self.for_long()
        ended, over, lookers = set(), threading.Event(), set()

        def look():
            lookers.add(threading.get_ident())
            while not over.is_set():
                looks = Looks(print)
                looks.rows(time.monotonic_ns())

        looker = threading.Thread(target=look)
        looker.start()
        until = time.monotonic() + SPAN
        while time.monotonic() < until:
            kept = {number: Ends(ended) for number in range(50)}
            time.sleep(0)  # a look may begin, while they are there
            kept.clear()
        over.set()
        looker.join()
        self.assertEqual(ended & lookers, set())
        self.assertEqual(ended, {threading.get_ident()})

    def test_no_other_thread_runs_meanwhile(self):
        self.for_long()
        turns, over = [0], threading.Event()

        def count():
            while not over.is_set():
                turns[0] += 1
                time.sleep(0)

        counter = threading.Thread(target=count)
        counter.start()
        moved = []
        for _ in range(10):
            with alone():
                before = turns[0]
                until = time.monotonic() + 0.02
                while time.monotonic() < until:
                    pass
                moved.append(turns[0] - before)
        over.set()
        counter.join()
        self.assertEqual(moved, [0] * 10)

    def test_the_interval_is_given_back(self):
        sys.setswitchinterval(0.003)
        with self.assertRaises(KeyError), alone():
            self.assertGreater(sys.getswitchinterval(), 0.04)
            raise KeyError
        self.assertAlmostEqual(sys.getswitchinterval(), 0.003, places=5)

    def test_what_the_program_sets_meanwhile_stays(self):
        with alone():
            sys.setswitchinterval(0.2)
        self.assertAlmostEqual(sys.getswitchinterval(), 0.2, places=5)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
    def test_a_child_that_is_forked_meanwhile_has_the_program_s_own(self):
        sys.setswitchinterval(0.003)
        with alone():
            pid = os.fork()
            if pid == 0:
                os._exit(0 if sys.getswitchinterval() < 0.004 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
