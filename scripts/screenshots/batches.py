"""Holds a model of 60 MiB, and 3 MiB for each of a batch in each of six iterations."""

import sys
import time


def hold(mib):
    return bytearray(b"x") * (mib << 20)


model = hold(60)
for step in range(1, 7):
    activations = hold(3 * int(sys.argv[1]))
    print(f"Iteration {step}", flush=True)
    time.sleep(0.12)
    del activations
    time.sleep(0.06)
