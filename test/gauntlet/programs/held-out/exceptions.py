# Errors that are kept with their tracebacks, and so the frames and what stood in them; or only their text.
# truth: {"leak": true, "args": ["error"], "culprit": "main|python", "slope": [310000, 345000], "per": "iteration"}
# truth: {"leak": false, "args": ["text"]}
import sys
import time

errors = []
STEPS = 180


def parse(step):
    record = bytearray(b"r") * 320_000
    if step >= 0:
        raise ValueError(f"bad record {step} of {len(record)} bytes")


for step in range(STEPS):
    try:
        parse(step)
    except ValueError as error:
        errors.append(error if sys.argv[1] == "error" else str(error))
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS} loss 0.1 errors {len(errors)}", flush=True)
