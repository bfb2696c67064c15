"""Whether it is known what held torch's peak, and when it is written down."""

import json
import os
import sys
import unittest
import unittest.mock

import beside  # noqa: F401

from highwater._inside.peaks import Peaks, peak_of

GIB = 1 << 30
ENTRIES = 1000


class Fork:
    """A child whose answer is there, or not yet."""

    pause_ms = 2.0

    def __init__(self, answer=None):
        self.answer = answer
        self.closed = False

    def done(self):
        return self.answer is not None

    def wait(self):
        return json.loads(json.dumps(self.answer))

    def close(self):
        self.closed = True


class KnownPeaks(unittest.TestCase):
    def setUp(self):
        self.forks = []
        folder = unittest.mock.patch.dict(os.environ, {"HIGHWATER_SNAPSHOTS": "there"})
        folder.start()
        self.addCleanup(folder.stop)
        write = unittest.mock.patch("highwater._inside.peaks.write_aside", self.write)
        write.start()
        self.addCleanup(write.stop)

    def write(self, torch, amend):
        self.forks.append(Fork())
        self.amend = amend
        return self.forks[-1]

    def test_a_peak_is_new_only_where_it_is_clearly_higher(self):
        peaks = Peaks(ENTRIES)
        self.assertTrue(peaks.look([(0, GIB)]))
        self.assertFalse(peaks.look([(0, GIB + GIB // 100)]))
        self.assertTrue(peaks.look([(0, 2 * GIB)]))
        self.assertFalse(peaks.look([(0, 5)]))  # the program counts anew
        self.assertEqual(peaks.seen, {0: 2 * GIB})

    def test_is_known_when_a_snapshot_has_come_as_high(self):
        peaks = Peaks(ENTRIES)
        peaks.look([(0, 10 * GIB)])
        self.assertTrue(peaks.unknown)
        peaks.capture(None, 0.0)
        self.assertTrue(peaks.unknown)  # it is being written
        self.forks[0].answer = {"reached": [[0, int(9.7 * GIB)]]}
        peaks.collect()
        self.assertFalse(peaks.unknown)
        peaks.look([(0, 11 * GIB)])
        self.assertTrue(peaks.unknown)

    def test_a_window_that_saw_less_leaves_it_unknown_and_is_kept_as_far_as_it_goes(self):
        peaks = Peaks(ENTRIES)
        peaks.look([(0, 10 * GIB)])
        peaks.capture(None, 0.0)
        self.forks[0].answer = {"reached": [[0, 4 * GIB]]}
        peaks.collect()
        self.assertTrue(peaks.unknown)
        self.assertEqual(peaks.shown, {0: 4 * GIB})
        # The next one is written only where it shows more.
        peaks.capture(None, 1000.0)
        lower, higher = (snapshot_of([("alloc", gib * GIB), ("free_completed", gib * GIB)]) for gib in (3, 6))
        self.assertIsNone(self.amend(lower)[0])
        name, facts, answer = self.amend(higher)
        self.assertEqual(name, "peak-%d.pickle" % os.getpid())
        self.assertEqual((facts, answer), ({"why": "peak", "device": 0}, {"reached": [(0, 6 * GIB)]}))

    def test_forks_are_few_and_far_between_but_for_the_last(self):
        peaks = Peaks(ENTRIES)
        now = 0.0
        for number in range(1, 100):
            peaks.look([(0, number * GIB)])
            peaks.capture(None, now)
            peaks.capture(None, now)  # one is at work
            self.forks[-1].answer = {"reached": [[0, number * GIB]]}
            now += 0.5  # each paused the program for 2 ms
        self.assertLessEqual(len(self.forks), 30)
        self.assertGreater(len(self.forks), 20)
        peaks.look([(0, 200 * GIB)])
        peaks.capture(None, now, last=True)
        self.assertTrue(self.forks[-1].closed)

    def test_a_ring_that_may_lose_the_peak_is_written_down_in_time(self):
        peaks = Peaks(ENTRIES)
        peaks.look([(0, GIB)])
        peaks.switched_on()
        self.assertFalse(peaks.is_slipping(900, 800))  # this peak came before the history
        peaks.look([(0, 2 * GIB)])
        self.assertFalse(peaks.is_slipping(1000, 900))
        self.assertFalse(peaks.is_slipping(1490, 1000))
        self.assertTrue(peaks.is_slipping(1510, 1490))

    def test_one_that_was_written_at_an_error_is_known(self):
        peaks = Peaks(ENTRIES)
        peaks.look([(0, GIB), (1, 2 * GIB)])
        peaks.covered()
        self.assertFalse(peaks.unknown)


class PeakOfAHistory(unittest.TestCase):
    def test_counts_back_from_what_is_in_use(self):
        snapshot = snapshot_of(
            [("alloc", 5), ("alloc", 7), ("free_requested", 7), ("free_completed", 7), ("segment_alloc", 100), ("alloc", 1)],
            in_use=11,  # five of them, and one, were made here; five were there before
        )
        self.assertEqual(peak_of(snapshot, 0), 17)

    def test_without_events_it_is_what_is_in_use(self):
        self.assertEqual(peak_of(snapshot_of([], in_use=11), 0), 11)
        self.assertEqual(peak_of({"segments": [], "device_traces": []}, 1), 0)


def snapshot_of(events, in_use=0):
    blocks = [{"size": in_use, "state": "active_allocated"}, {"size": 500, "state": "inactive"}]
    trace = [{"action": action, "size": size} for action, size in events]
    return {"segments": [{"device": 0, "blocks": blocks}], "device_traces": [trace]}


if __name__ == "__main__":
    sys.exit(unittest.main())
