"""A service with a million objects that grows, and no line of Highwater's: prints the CPU seconds of a fixed amount of work, all threads together."""

import json
import sys
import time

kept = [{"number": number, "parts": [number]} for number in range(500_000)]
cache = {}


def handle(number):
    row = {"number": number, "words": [str(number + one) for one in range(50)]}
    cache[number] = row["words"][-1] * 40
    return sum(map(len, row["words"]))


before = time.process_time()
for number in range(int(sys.argv[1])):
    handle(number)
    if number % 2000 == 0:
        time.sleep(0.02)  # waits for its next request
print(json.dumps({"seconds": time.process_time() - before}))
