# multiprocessing.shared_memory in every step: unlinked, or forgotten by a program that took itself off the tracker.
# truth: {"leak": true, "args": ["forget"], "culprit": "/dev/shm|shared", "slope": [500000, 560000], "per": "iteration"}
# truth: {"leak": false, "args": ["unlink"]}
import os
import sys
import time
from multiprocessing import resource_tracker, shared_memory

STEPS = 120
tag = os.environ.get("GAUNTLET_TAG", "shm")
for step in range(STEPS):
    segment = shared_memory.SharedMemory(name=f"{tag}-{step}", create=True, size=512 << 10)
    segment.buf[:] = bytes([step % 256]) * segment.size
    total = sum(segment.buf[:100])
    segment.close()
    if sys.argv[1] == "unlink":
        segment.unlink()
    else:
        resource_tracker.unregister(f"/{tag}-{step}", "shared_memory")
    time.sleep(0.04)
    print(f"step {step + 1}/{STEPS} loss {total:.1f}", flush=True)
