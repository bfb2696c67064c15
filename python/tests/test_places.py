"""Lines of variables: found while the program runs, and at its exit, when nothing of it does any more."""

import os
import subprocess
import sys
import unittest

import beside

PROGRAM = """
import atexit, sys
from highwater._places import remember_modules, with_line
seen = {}
atexit.register(lambda: print(with_line("dict of 3 in seen of __main__")))
if len(sys.argv) > 1: remember_modules()
"""


def told(*arguments):
    command = [sys.executable, "-c", PROGRAM] + list(arguments)
    return subprocess.check_output(command, env=dict(os.environ, PYTHONPATH=str(beside.PACKAGE)), universal_newlines=True).strip()


class AtTheExit(unittest.TestCase):
    def test_has_the_line_of_a_module_that_was_seen_to_run(self):
        self.assertEqual(told("remembers"), "dict of 3 in seen of __main__ at <string>:4")

    def test_says_no_line_of_one_that_was_not(self):
        self.assertEqual(told(), "dict of 3 in seen of __main__")


if __name__ == "__main__":
    unittest.main()
