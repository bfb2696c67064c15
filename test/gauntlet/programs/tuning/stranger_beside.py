# A clean program beside which a stranger maps 25 MiB of shared memory; its twin leaves 32 MiB of its own in /dev/shm.
# truth: {"leak": false, "args": ["clean"], "beside": ["stranger.py", "25", "5"], "quick": true}
# truth: {"leak": true, "args": ["left"], "beside": ["stranger.py", "25", "5"], "culprit": "/dev/shm|shared.memory|shm", "slope": [33000000, 34500000], "per": "run"}
import os
import sys
import time

STEPS = 150
weights = [0.0] * 10_000
for step in range(STEPS):
    weights = [w + 0.001 * step for w in weights]
    if step == 40 and sys.argv[1] == "left":
        with open(f"/dev/shm/{os.environ.get('GAUNTLET_TAG', 'left')}-cache", "wb") as file:
            file.write(b"x" * (32 << 20))
    time.sleep(0.05)
    print(f"step {step + 1}/{STEPS} loss {weights[0]:.4f}", flush=True)
