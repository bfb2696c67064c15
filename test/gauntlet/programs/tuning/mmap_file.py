# A file of 200 MiB mapped with mmap and walked through page by page, over and over without marks at the end.
# truth: {"leak": false, "args": ["shared"]}
# truth: {"leak": true, "args": ["private"], "culprit": "main|python", "slope": [1000000, 1150000], "per": "iteration", "why": "each page of a private mapping that is written becomes the process's own"}
import mmap
import os
import sys
import time

STEPS, CHUNK = 200, 1 << 20

with open("corpus.bin", "wb") as file:
    file.truncate(STEPS * CHUNK)
    file.writelines(bytes([step % 251]) * CHUNK for step in range(STEPS))

private = sys.argv[1] == "private"
with open("corpus.bin", "r+b") as file:
    corpus = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE if private else mmap.MAP_SHARED)
    for step in range(STEPS):
        at = step * CHUNK
        if private:
            for page in range(at, at + CHUNK, mmap.PAGESIZE):
                corpus[page] = 1
        total = sum(corpus[at : at + CHUNK : 4096])
        time.sleep(0.03)
        print(f"iteration {step + 1}/{STEPS} total {total}", flush=True)
os.remove("corpus.bin")
