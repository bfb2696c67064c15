# A tokenizer remembers how it split each word. Words of a log are new for ever (ids), words of a language are not.
# truth: {"leak": true, "args": ["ids"], "culprit": "main|python|cache", "slope": [58000, 90000], "per": "iteration", "why": "150 words that were never seen, each with a list of its pieces"}
# truth: {"leak": false, "args": ["language"]}
import random
import sys
import time

random.seed(4)
LANGUAGE = ["".join(random.choices("etaoinshrdlu", k=random.randint(3, 11))) for _ in range(3000)]
MERGES = {left + right: rank for rank, (left, right) in enumerate((a, b) for a in "etaoins0123" for b in "etaoins4567")}
cache = {}
BATCHES = 500


def pieces(word):
    if word in cache:
        return cache[word]
    parts = list(word)
    while len(parts) > 1:
        ranked = [(MERGES.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
        rank, i = min(ranked)
        if rank == 1 << 30:
            break
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    cache[word] = parts
    return parts


def bar(done, began):
    spent = time.monotonic() - began
    cells = int(20 * done / BATCHES)
    rate = done / spent
    left = (BATCHES - done) / rate
    filled = "█" * cells + " " * (20 - cells)
    clock = f"{int(spent) // 60:02d}:{int(spent) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d}"
    sys.stderr.write(f"\rTokenizing: {100 * done // BATCHES:3d}%|{filled}| {done}/{BATCHES} [{clock}, {rate:5.2f}it/s]")
    sys.stderr.flush()


began, tokens = time.monotonic(), 0
for batch in range(BATCHES):
    if sys.argv[1] == "ids":
        words = [f"req-{random.getrandbits(64):016x}" for _ in range(150)]
    else:
        words = random.choices(LANGUAGE, k=150)
    tokens += sum(len(pieces(word)) for word in words)
    bar(batch + 1, began)
    time.sleep(max(0, began + 0.1 * (batch + 1) - time.monotonic()))
sys.stderr.write("\n")
print("tokens", tokens)
