# Exactly 20 MiB stay in /dev/shm after the end; its twin removes them.
# truth: {"leak": true, "args": ["left"], "culprit": "/dev/shm", "slope": [20900000, 21050000], "per": "run", "quick": true}
# truth: {"leak": false, "args": ["removed"]}
import os
import sys
import time

name = f"/dev/shm/{os.environ.get('GAUNTLET_TAG', 'left')}-weights"
with open(name, "wb") as file:
    file.write(os.urandom(1 << 20) * 20)
STEPS = 100
for step in range(STEPS):
    with open(name, "rb") as file:
        total = sum(file.read(4096))
    time.sleep(0.05)
    print(f"step {step + 1}/{STEPS} loss {total / 1e6:.4f}", flush=True)
if sys.argv[1] == "removed":
    os.remove(name)
