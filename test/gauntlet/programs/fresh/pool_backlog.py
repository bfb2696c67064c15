# Documents are handed to a pool of two threads, a hundred a second of which it does fifty: into its queue, or when it has room.
# truth: {"leak": true, "args": ["queue"], "culprit": "main|python|queue|pool", "slope": [1000000, 1400000], "per": "second", "why": "about fifty documents a second stay in the queue, each of 20 kB with its future"}
# truth: {"leak": false, "args": ["room"]}
import logging
import random
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

logging.basicConfig(level=logging.INFO, format="[%(levelname)s] %(message)s", stream=sys.stdout)
random.seed(6)
SECONDS = 45
room = threading.Semaphore(40)


def index(document):
    time.sleep(0.04)
    if sys.argv[1] == "room":
        room.release()
    return zlib.crc32(document)


pool = ThreadPoolExecutor(2)
began, handed, said = time.monotonic(), 0, 0
while (elapsed := time.monotonic() - began) < SECONDS:
    while handed < elapsed * 100:
        if sys.argv[1] == "room" and not room.acquire(timeout=0.5):
            break
        pool.submit(index, random.randbytes(20_000))
        handed += 1
        if time.monotonic() - began > SECONDS:
            break
    if elapsed > said + 1:
        said += 1
        logging.info("indexing, %d documents handed over", handed)
    time.sleep(0.02)
pool.shutdown(wait=True, cancel_futures=True)
