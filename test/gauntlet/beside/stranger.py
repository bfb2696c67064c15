"""Somebody else's program: `stranger.py MIB AFTER` maps so much shared memory after so many seconds, and keeps it."""
import mmap
import sys
import time

time.sleep(float(sys.argv[2]))
shared = mmap.mmap(-1, int(sys.argv[1]) << 20)
for page in range(0, len(shared), mmap.PAGESIZE):
    shared[page] = 1
time.sleep(60)
