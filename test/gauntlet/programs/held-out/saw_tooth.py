# A replay buffer that fills and is flushed every forty steps; its twin keeps a twentieth of each flush.
# truth: {"leak": false, "args": ["flush"]}
# truth: {"leak": true, "args": ["keep"], "culprit": "main|python", "slope": [45000, 60000], "per": "iteration"}
import sys
import time

replay, kept = [], []
STEPS = 800
for step in range(STEPS):
    replay.append(bytearray(b"s") * (1 << 20))
    if len(replay) == 40:
        if sys.argv[1] == "keep":
            kept.extend(replay[:2])
        replay.clear()
    time.sleep(0.012)
    if step % 2:
        print(f"step {step + 1}/{STEPS} loss {1 / (step + 1):.5f}", flush=True)
