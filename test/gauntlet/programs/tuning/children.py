# A child process for each step, which is waited for, or left to sleep.
# truth: {"leak": true, "args": ["leave"], "culprit": "sh|sleep|child|python|worker", "slope": [60000, 2000000], "per": "iteration"}
# truth: {"leak": false, "args": ["wait"]}
import subprocess
import sys
import time

STEPS = 120
children = []
for step in range(STEPS):
    child = subprocess.Popen(["sleep", "100" if sys.argv[1] == "leave" else "0.01"])
    if sys.argv[1] == "leave":
        children.append(child)
    else:
        child.wait()
    time.sleep(0.05)
    print(f"step {step + 1}/{STEPS} loss {1 / (step + 1):.4f}", flush=True)
for child in children:
    child.kill()
    child.wait()
