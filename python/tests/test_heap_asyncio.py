"""A look at all objects leaves asyncio as it was: in Python 3.12 its module tells of objects that it has let go."""

import subprocess
import sys
import unittest

import beside  # noqa: F401

PROGRAM = """
import asyncio, gc, sys
sys.path[:0] = %r
from highwater import heap
from highwater._names import holders

async def main():
    future = asyncio.get_running_loop().create_future()
    future.set_result(1)
    await future

asyncio.run(main())
mine = [object()]
heap()
heap.iso(mine).dominos
heap.iso(mine).shpaths
holders([mine])
for _ in range(3):
    asyncio.run(main())
gc.collect()
print("fine")
"""


class Asyncio(unittest.TestCase):
    def test_goes_on_after_a_heap(self):
        done = subprocess.run([sys.executable, "-c", PROGRAM % sys.path], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("fine\n", ""))


if __name__ == "__main__":
    unittest.main()
