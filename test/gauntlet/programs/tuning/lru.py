# functools.lru_cache without a limit, on a method that is called with new arguments each time.
# truth: {"leak": true, "args": ["none"], "culprit": "main|python", "slope": [155000, 185000], "per": "iteration"}
# truth: {"leak": false, "args": ["32"]}
import functools
import sys
import time

LIMIT = None if sys.argv[1] == "none" else int(sys.argv[1])


class Tokenizer:
    @functools.lru_cache(maxsize=LIMIT)  # noqa: B019
    def encode(self, text):
        return bytes(text, "utf8") * 50


tokenizer = Tokenizer()
STEPS = 160
for step in range(STEPS):
    tokens = tokenizer.encode(f"sentence {step:06d} " * 200)
    time.sleep(0.03)
    print(f"step {step + 1}/{STEPS}: {len(tokens)} tokens, loss 0.1", flush=True)
