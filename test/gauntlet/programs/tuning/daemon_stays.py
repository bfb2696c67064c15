# A helper process that outlives the program with 60 MiB, in a session of its own; its twin is told to end.
# truth: {"leak": true, "args": ["stays"], "culprit": "python|prefetch|\\d{3,}", "slope": [62000000, 80000000], "per": "run", "quick": true}
# truth: {"leak": false, "args": ["ends"]}
import os
import signal
import subprocess
import sys
import time

HELPER = """
import time
prefetched = bytearray(b"x") * (60 << 20)
time.sleep(14)
"""
helper = subprocess.Popen([sys.executable, "-c", HELPER], start_new_session=True)
STEPS = 100
for step in range(STEPS):
    time.sleep(0.06)
    print(f"step {step + 1}/{STEPS} loss {1 / (step + 1):.4f}", flush=True)
if sys.argv[1] == "ends":
    os.kill(helper.pid, signal.SIGTERM)
    helper.wait()
