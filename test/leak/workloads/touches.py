"""Forked workers that only look at a shared list: each look writes a reference count, and so
unshares the page. `--fine`: they look at nothing."""
import os
import sys
import time

fine = "--fine" in sys.argv
items = [float(i) for i in range(1_500_000)]
# Long beside what it takes to load the list, which is no trend.
STEPS = 90
share = len(items) // STEPS
children = []
# By the clock: on a busy machine they would grow apart, and end one after the other.
begin = time.monotonic()
for _ in range(3):
    pid = os.fork()
    if pid == 0:
        for step in range(STEPS):
            if not fine:
                for item in items[step * share : (step + 1) * share]:
                    pass
            time.sleep(max(0, begin + 0.2 * (step + 1) - time.monotonic()))
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
