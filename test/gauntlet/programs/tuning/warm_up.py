# A cache that is full after a fifth of the run, or that goes on.
# truth: {"leak": false, "args": ["full"], "why": "fifty entries of 1 MB, then the same fifty again"}
# truth: {"leak": true, "args": ["on"], "culprit": "main|python", "slope": [950000, 1100000], "per": "iteration"}
import sys
import time

entries = {}
STEPS = 250
for step in range(STEPS):
    key = step % 50 if sys.argv[1] == "full" else step
    if key not in entries:
        entries[key] = bytearray(b"e") * 1_000_000
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS} loss {len(entries) / 1000:.3f}", flush=True)
