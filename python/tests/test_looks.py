"""Programs that take no steps and have no line of ours: what is seen of them, and that they do not notice. Standard library only."""

import contextlib
import signal
import sys
import unittest

from listener import Listener

# A program that grows for some seconds, by a megabyte each tenth of a second.
GROWS = """
import os, sys, time
kept = {}
def grow(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for _ in range(100):
            kept[len(kept)] = b"x" * 10_000 + b"%d" % len(kept)
        time.sleep(0.1)
"""


WORKERS = """
import multiprocessing
def work(number):
    grow(5 * number)
context = multiprocessing.get_context("fork")
children = [context.Process(target=work, args=(number,)) for number in range(2)]
for child in children:
    child.start()
for child in children:
    child.join()
print(children[1].pid)
"""

FORKS = """
def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(3)
    return os.waitpid(pid, 0)[1] >> 8
codes = [fork() for _ in range(3)]
grow(4)
print(codes + [fork() for _ in range(20)])
"""

WAITS = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
grow(4)
os.kill(os.getpid(), signal.SIGTERM)
print(int(signal.sigwait([signal.SIGTERM])))
"""

RAISES = """
import signal
class Late(Exception):
    pass
def late(*_):
    raise Late
signal.signal(signal.SIGALRM, late)
caught = 0
for _ in range(500):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while True:
            grow(0.001)
    except Late:
        caught += 1
print(caught)
"""

THREADS = """
before = "threading" in sys.modules
grow(4)
print(("threading" in sys.modules) != before)
import threading
print(threading.enumerate(), threading.current_thread() is threading.main_thread())
"""

PARTS = """
import _xxsubinterpreters as parts
one = parts.create()
parts.run_string(one, "import sys; print(len(sys.path) > 0, flush=True)")
parts.destroy(one)
grow(3)
"""

# Each with the words that Python is started with.
PROGRAMS = {
    "grows": ("grow(6)",),
    "sleeps": ("time.sleep(4)\nprint(sorted(name for name in sys.modules if 'json' in name or 'ctypes' in name))",),
    "joins": ("import threading\none = threading.Thread(target=grow, args=(10,))\none.start()\none.join()",),
    "workers": (WORKERS,),
    "threads": (THREADS,),
    "forks": (FORKS, "-W", "error"),  # of warnings
    "waits": (WAITS,),
    "raises": (RAISES,),
    "leaves": ("grow(4)\nos._exit(5)",),
    "exits": ("grow(4)\nraise SystemExit(6)",),
    # A daemon closes all files, and opens its own.
    "closes": ("grow(4)\nos.closerange(3, 1000)\nfiles = [os.open('/dev/null', os.O_RDWR) for _ in range(200)]\ngrow(2)\nprint(files[0])",),
    **({"parts": (PARTS,)} if sys.version_info < (3, 13) else {}),
}


class Programs(unittest.TestCase):
    """Side by side, as each takes seconds."""

    @classmethod
    def setUpClass(cls):
        cls.heard, cls.ended = {}, {}
        with contextlib.ExitStack() as open_ones:
            running = {}
            for name, (script, *words) in PROGRAMS.items():
                cls.heard[name] = open_ones.enter_context(Listener())
                running[name] = cls.heard[name].start(GROWS + script, *words)
            for name, process in running.items():
                output, errors = process.communicate(timeout=100)
                cls.ended[name] = (process.returncode, output, errors)


class WhatIsSeen(Programs):
    def test_a_growing_dict_has_a_name_and_a_size(self):
        heard = self.heard["grows"]
        self.assertEqual(self.ended["grows"], (0, "", ""))
        kind, name, of, _, count, grown, seconds, size = heard.containers()["kept of __main__ at <string>:3"]
        self.assertEqual((kind, name, of), ("container", "dict", "bytes"))
        self.assertGreater(grown, 300)
        self.assertLess(grown, count + 1)
        self.assertAlmostEqual(size / count, 10_150, delta=200)
        self.assertGreater(seconds, 1)
        self.assertGreater(len(heard.counters("python.blocks")), 4)
        self.assertEqual(set(heard.counters("looks.cut")), {0})

    def test_a_program_that_does_not_grow_is_left_alone(self):
        self.assertEqual(self.ended["sleeps"], (0, "[]\n", ""))
        self.assertEqual(self.heard["sleeps"].messages, [])

    def test_a_main_thread_that_waits_is_not_waited_for(self):
        self.assertEqual(self.ended["joins"], (0, "", ""))
        self.assertTrue([name for name in self.heard["joins"].containers() if name.startswith("kept of __main__")])

    def test_forked_workers_begin_afresh(self):
        code, output, errors = self.ended["workers"]
        self.assertEqual((code, errors), (0, ""))
        heard = self.heard["workers"]
        self.assertEqual({pid for pid, _ in heard.messages}, {int(output)})
        self.assertTrue([name for name in heard.containers() if name.startswith("kept of __main__")])

    def test_threads_are_not_noticed(self):
        code, output, errors = self.ended["threads"]
        self.assertEqual((code, errors), (0, ""))
        loaded, threads = output.splitlines()
        self.assertEqual(loaded, "False")
        self.assertRegex(threads, r"^\[<_MainThread\(MainThread, started \d+\)>\] True$")

    def test_forks_give_no_warning(self):
        self.assertEqual(self.ended["forks"], (0, "%s\n" % ([3] * 23), ""))

    def test_a_signal_that_the_program_waits_for_is_its_own(self):
        self.assertEqual(self.ended["waits"], (0, "%d\n" % signal.SIGTERM, ""))

    def test_what_a_handler_raises_gets_through(self):
        self.assertEqual(self.ended["raises"], (0, "500\n", ""))

    def test_exits_are_the_same(self):
        self.assertEqual([self.ended["leaves"], self.ended["exits"]], [(5, "", ""), (6, "", "")])

    def test_a_daemon_gets_its_numbers_of_files(self):
        self.assertEqual(self.ended["closes"], (0, "3\n", ""))

    @unittest.skipUnless("parts" in PROGRAMS, "its modules for them have other names")
    def test_interpreters_within_one(self):
        self.assertEqual(self.ended["parts"], (0, "True\n", ""))


if __name__ == "__main__":
    unittest.main()
