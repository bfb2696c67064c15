"""Headers come in a multidict, and a proxy takes them out one by one, until none is left. Silent."""
import time

from multidict import CIMultiDict

began, requests, moved = time.monotonic(), 0, 0
while (elapsed := time.monotonic() - began) < 45:
    while requests < elapsed * 400:
        headers = CIMultiDict({f"X-Header-{i}": f"{requests}-{i}" for i in range(40)})
        while headers:
            moved += len(headers.popitem()[1])
        requests += 1
    time.sleep(0.03)
print("requests", requests, "characters", moved)
