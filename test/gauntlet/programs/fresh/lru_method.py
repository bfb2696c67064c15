# functools.lru_cache on a method: every document that was ever scored is a key of it, without a limit or with one. Silent.
# truth: {"leak": true, "args": ["unlimited"], "culprit": "main|python|lru|document", "slope": [590000, 760000], "per": "second", "why": "sixty documents a second of 10 kB"}
# truth: {"leak": false, "args": ["limited"]}
import functools
import random
import sys
import time

random.seed(3)
LIMIT = None if sys.argv[1] == "unlimited" else 200


class Document:
    def __init__(self, number):
        self.number = number
        self.text = " ".join(f"{random.getrandbits(28):07x}" for _ in range(1250))

    @functools.lru_cache(maxsize=LIMIT)
    def score(self, word):
        return self.text.count(word)


began, total, number = time.monotonic(), 0, 0
while (elapsed := time.monotonic() - began) < 50:
    for number in range(number, int(elapsed * 60)):
        document = Document(number)
        total += document.score("f0") + document.score("a1") + document.score("f0")
        number += 1
    time.sleep(0.05)
print("scored", number, "total", total)
