# What a service notes of its requests: a series for each label value (an id of the request, or its route), and log records
# in a MemoryHandler whose limit never comes, or soon does.
# truth: {"leak": true, "args": ["label-per-request"], "culprit": "main|python|registry", "slope": [84000, 106000], "per": "iteration"}
# truth: {"leak": false, "args": ["label-per-route"]}
# truth: {"leak": true, "args": ["never-flushed"], "culprit": "main|python|logging", "slope": [66000, 83000], "per": "iteration"}
# truth: {"leak": false, "args": ["flushed"]}
import logging
import logging.handlers
import os
import random
import sys
import time

random.seed(7)
mode = sys.argv[1]
STEPS = 240
ROUTES = [f"/v1/items/{i}" for i in range(30)]


class Histogram:
    def __init__(self):
        self.buckets = [0] * 16
        self.total = 0.0

    def observe(self, seconds):
        self.buckets[min(15, int(seconds * 16))] += 1
        self.total += seconds


registry = {}
capacity = 10_000_000 if mode == "never-flushed" else 200
handler = logging.handlers.MemoryHandler(capacity, flushLevel=logging.CRITICAL, target=logging.FileHandler(os.devnull))
logger = logging.getLogger("service")
logger.setLevel(logging.INFO)
logger.propagate = False
logger.addHandler(handler)

for step in range(STEPS):
    for request in range(150):
        route, seconds = random.choice(ROUTES), random.random()
        if mode.startswith("label"):
            label = f"{step:06d}-{request:04d}" if mode == "label-per-request" else route
            series = ("request_seconds", ("route", route), ("id", label))
            if series not in registry:
                registry[series] = Histogram()
            registry[series].observe(seconds)
        elif request % 3 == 0:
            logger.info("served %s: %s", route, "x" * random.randrange(600, 1000))
    time.sleep(0.035)
    print(f"step {step + 1}/{STEPS} latency {seconds:.4f}", flush=True)
