#!/usr/bin/env bash
# Ended from outside by each signal in turn; the shell's word for it ("Killed") is no proof of anything.
# truth: {"leak": false, "args": ["KILL"], "ends": 137, "oom": false, "quick": true}
# truth: {"leak": false, "args": ["TERM"], "ends": 143, "oom": false}
# truth: {"leak": false, "args": ["SEGV"], "ends": 139, "oom": false}
# truth: {"leak": false, "args": ["ABRT"], "ends": 134, "oom": false}
# truth: {"leak": false, "args": ["HUP"], "ends": 129, "oom": false}
cat > train.py <<'END'
import time
for step in range(10_000):
    batch = bytearray(4 << 20)
    time.sleep(0.04)
    print(f"step {step} loss {1 / (step + 1):.4f}", flush=True)
END
sh -c "timeout -s $1 --preserve-status 7 python3 train.py; exit \$?" # its word is the bare line: Killed
status=$?
echo "the training ended with $status"
exit $status
