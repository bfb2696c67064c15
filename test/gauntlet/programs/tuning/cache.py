# A cache of results without a limit, beside one that forgets the oldest entries.
# truth: {"leak": true, "args": ["unlimited"], "culprit": ["main|python"], "slope": [95000, 140000], "per": "iteration", "quick": true}
# truth: {"leak": false, "args": ["limited"], "quick": true}
import collections
import sys
import time

cache = collections.OrderedDict()
STEPS = 200


def features(key):
    if key not in cache:
        cache[key] = [float(key + i) for i in range(3000)]
        if sys.argv[1] == "limited" and len(cache) > 16:
            cache.popitem(last=False)
    return cache[key]


for step in range(STEPS):
    value = sum(features(step)) + sum(features(max(0, step - 3)))
    time.sleep(0.03)
    print(f"step [{step + 1}/{STEPS}] loss: {value:.1f}", flush=True)
