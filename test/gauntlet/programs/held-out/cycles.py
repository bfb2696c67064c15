# Objects in circles: the collector is off, as some trainings have it, or comes by itself.
# truth: {"leak": true, "args": ["off"], "culprit": "main|python", "slope": [250000, 330000], "per": "iteration"}
# truth: {"leak": false, "args": ["on"], "why": "a saw-tooth: every few dozen steps the collector takes the circles back"}
import gc
import sys
import time


class Node:
    def __init__(self, size):
        self.data = bytearray(b"n") * size
        self.me = self


if sys.argv[1] == "off":
    gc.disable()
STEPS = 300
for step in range(STEPS):
    for _ in range(25):
        Node(10_000)
    time.sleep(0.02)
    print(f"step {step + 1}/{STEPS} loss 0.25", flush=True)
