# Callbacks registered in every step, each closing over its batch; its twin replaces the one it had.
# truth: {"leak": true, "args": ["append"], "culprit": "main|python", "slope": [400000, 450000], "per": "iteration"}
# truth: {"leak": false, "args": ["replace"]}
import sys
import time

callbacks = []
STEPS = 180


def watch(batch):
    def report():
        return sum(batch[:10])

    return report


for step in range(STEPS):
    callback = watch(bytearray(b"x") * 400_000)
    if sys.argv[1] == "append":
        callbacks.append(callback)
    else:
        callbacks[:] = [callback]
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS} loss {callbacks[-1]():.1f}", flush=True)
