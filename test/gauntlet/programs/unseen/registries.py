# Documents that are found again through a dict, or a dict of weak references; classes that type() makes in each step,
# which a registry keeps, or nothing but the collector knows.
# truth: {"leak": true, "args": ["strong"], "culprit": "main|python|documents", "slope": [125000, 150000], "per": "iteration"}
# truth: {"leak": false, "args": ["weak"]}
# truth: {"leak": true, "args": ["classes-registered"], "culprit": "main|python|registry", "slope": [135000, 165000], "per": "iteration"}
# truth: {"leak": false, "args": ["classes-dropped"]}
import random
import sys
import time
import weakref

random.seed(11)
mode = sys.argv[1]
STEPS = 230


class Document:
    def __init__(self, key):
        self.key = key
        self.words = [random.random() for _ in range(60)]


class Message:
    pass


documents = {} if mode == "strong" else weakref.WeakValueDictionary()
registry = []
for step in range(STEPS):
    if mode in ("strong", "weak"):
        for i in range(50):
            document = Document(f"doc-{step}-{i}")
            documents[document.key] = document
        score = sum(documents[document.key].words)
    else:
        for i in range(60):
            made = type(f"Message{step}x{i}", (Message,), {"step": step, "__str__": lambda self: f"{self.step}"})
            score = float(str(made()))
            if mode == "classes-registered":
                registry.append(made)
    time.sleep(0.04)
    print(f"step {step + 1}/{STEPS} loss {score / 1000:.4f}", flush=True)
