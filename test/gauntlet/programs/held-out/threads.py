# A thread for each request, which waits forever with its buffer, or is joined.
# truth: {"leak": true, "args": ["wait"], "culprit": "main|python", "slope": [260000, 400000], "per": "iteration"}
# truth: {"leak": false, "args": ["join"]}
import os
import sys
import threading
import time

STEPS = 150
done = threading.Event()


def handle(number):
    buffer = bytearray(b"r") * (256 << 10)
    if sys.argv[1] == "wait":
        done.wait()
    return buffer[number]


for step in range(STEPS):
    thread = threading.Thread(target=handle, args=(step,), daemon=True)
    thread.start()
    if sys.argv[1] == "join":
        thread.join()
    time.sleep(0.03)
    print(f"iter {step + 1}/{STEPS} loss {threading.active_count():.1f}", flush=True)
sys.stdout.flush()
os._exit(0)
