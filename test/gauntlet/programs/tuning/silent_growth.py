# Prints nothing for half a minute: keeps what it computes, reads a file into memory, or computes and forgets.
# truth: {"leak": true, "args": ["keeps"], "culprit": "main|python|kept", "slope": [900000, 1300000], "per": "second", "why": "a hundred strings of 10 kB a second"}
# truth: {"leak": false, "args": ["reads"], "why": "it reads lines of a file and ends when it has all of them"}
# truth: {"leak": false, "args": ["forgets"]}
import os
import sys
import tempfile
import time

how = sys.argv[1]
kept = []
lines = None
if how == "reads":
    lines = tempfile.TemporaryFile("w+")
    for number in range(3200):
        lines.write(f"{number:08d} " * 1100 + "\n")
    lines.seek(0)
began = time.monotonic()
for number in range(3000):
    entry = lines.readline() if lines else f"{number:08d} " * 1100
    if how == "forgets" and len(kept) > 20:
        kept.clear()
    kept.append(entry)
    time.sleep(max(0, began + 0.01 * (number + 1) - time.monotonic()))
