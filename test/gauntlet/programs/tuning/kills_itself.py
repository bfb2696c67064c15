# A training that ends by a signal of its own: aborted by an assertion in native code, or a pointer into nowhere.
# truth: {"leak": false, "args": ["SIGABRT"], "ends": "SIGABRT", "oom": false}
# truth: {"leak": false, "args": ["SIGSEGV"], "ends": "SIGSEGV", "oom": false}
# truth: {"leak": false, "args": ["SIGKILL"], "ends": "SIGKILL", "oom": false}
import os
import signal
import sys
import time

weights = bytearray(20 << 20)
for step in range(160):
    batch = bytearray(2 << 20)
    time.sleep(0.035)
    print(f"step {step + 1} loss {1 / (step + 1):.4f}", flush=True)
os.kill(os.getpid(), getattr(signal, sys.argv[1]))
time.sleep(5)
