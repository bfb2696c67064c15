# A metrics agent that forks twice and stays with 48 MiB, or ends with the program.
# truth: {"leak": true, "args": ["stays"], "culprit": "python|\\d{3,}", "slope": [50000000, 62000000], "per": "run"}
# truth: {"leak": false, "args": ["ends"]}
import os
import sys
import time

SECONDS = 7
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        buffer = bytearray(b"m") * (48 << 20)
        time.sleep(SECONDS + (7 if sys.argv[1] == "stays" else -1))
    os._exit(0)
os.wait()
for step in range(SECONDS * 20):
    time.sleep(0.05)
    print(f"step {step + 1}/{SECONDS * 20} loss {1 / (step + 1):.4f}", flush=True)
