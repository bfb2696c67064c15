"""Keeps 1 MiB an iteration on top of a 'model' of 96 MiB, or lets it go again (`--fine`)."""
import sys
import time

fine = "--fine" in sys.argv
model = bytearray(96 * 2**20)
for i in range(0, len(model), 4096):
    model[i] = 1
kept = []
for step in range(1, 201):
    batch = bytearray(2**20)
    for i in range(0, len(batch), 4096):
        batch[i] = 1
    if not fine:
        kept.append(batch)
    del batch
    print(f"step {step}/200", flush=True)
    time.sleep(0.06)
