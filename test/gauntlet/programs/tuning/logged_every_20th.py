# A leak of 24 KiB an iteration in a training that logs every twentieth one: the slope is for one iteration, not for one line.
# truth: {"leak": true, "args": ["leak"], "culprit": "main|python", "slope": [24000, 27500], "per": "iteration"}
# truth: {"leak": false, "args": ["clean"]}
import sys
import time

history = []
STEPS = 1600
for step in range(1, STEPS + 1):
    gradient = bytearray(24 << 10)
    gradient[::1024] = b"g" * 24
    if sys.argv[1] == "leak":
        history.append(gradient)
    time.sleep(0.005)
    if step % 20 == 0:
        print(f"step {step}/{STEPS} loss {1 / step:.5f} lr 0.001", flush=True)
