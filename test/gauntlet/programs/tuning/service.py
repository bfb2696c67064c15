# A service that prints nothing, for a minute and a half: after its start it is steady, or it keeps 300 kB a second.
# truth: {"leak": false, "args": ["steady"]}
# truth: {"leak": true, "args": ["keeps"], "culprit": "main|python", "slope": [280000, 360000], "per": "second"}
import random
import sys
import time

random.seed(1)
base = bytearray(b"m") * (60 << 20)
log = []
began = time.monotonic()
ticks = 0
while time.monotonic() - began < 95:
    work = [bytearray(b"w") * random.randrange(20_000, 400_000) for _ in range(5)]
    ticks += 1
    if sys.argv[1] == "keeps" and 10 * (time.monotonic() - began) > len(log):
        log.append(bytearray(b"l") * 30_000)
    time.sleep(0.02)
