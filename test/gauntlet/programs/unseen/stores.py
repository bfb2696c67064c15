# Where a program puts its results: a table of sqlite's in memory (silent, by the clock), pickles in BytesIO,
# C's malloc through ctypes, files in /dev/shm. Each keeps everything, or only the newest.
# truth: {"leak": true, "args": ["table", "kept"], "culprit": "main|python|native|sqlite", "slope": [1030000, 1260000], "per": "second"}
# truth: {"leak": false, "args": ["table", "pruned"]}
# truth: {"leak": true, "args": ["pickles", "kept"], "culprit": "main|python|buffers", "slope": [90000, 126000], "per": "iteration"}
# truth: {"leak": false, "args": ["pickles", "pruned"]}
# truth: {"leak": true, "args": ["malloc", "kept"], "culprit": "main|native|malloc", "slope": [119000, 132000], "per": "iteration"}
# truth: {"leak": false, "args": ["malloc", "pruned"]}
# truth: {"leak": true, "args": ["shm", "kept"], "culprit": "/dev/shm|shm|shared", "slope": [150000, 170000], "per": "iteration"}
# truth: {"leak": false, "args": ["shm", "pruned"]}
import ctypes
import io
import os
import pickle
import random
import sqlite3
import sys
import tempfile
import time

random.seed(3)
keep = sys.argv[2] == "kept"
STEPS = 230


def steps():
    for step in range(STEPS):
        yield step
        time.sleep(0.04)
        print(f"step {step + 1}/{STEPS} loss {1 / (step + 1):.4f}", flush=True)


def table():
    store = sqlite3.connect(":memory:")
    store.execute("create table events (id integer primary key, body blob)")
    began, rows = time.monotonic(), 0
    while (elapsed := time.monotonic() - began) < 16:
        for row in range(rows, rows := int(elapsed * 520)):
            store.execute("insert into events values (?, ?)", (row, random.randbytes(1990)))
        if not keep:
            store.execute("delete from events where id < ?", (rows - 500,))
        store.commit()
        time.sleep(0.03)


def pickles():
    buffers, buffer = [], io.BytesIO()
    for step in steps():
        if keep:
            buffer = io.BytesIO()
            buffers.append(buffer)
        buffer.seek(0)
        buffer.truncate()
        pickle.dump([random.random() for _ in range(10_000)], buffer)


def malloc():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    for step in steps():
        for _ in range(3):
            block = libc.malloc(40_000)
            ctypes.memset(block, step % 256, 40_000)
            if not keep:
                libc.free(block)


def shm():
    for step in steps():
        prefix = f"{os.environ.get('GAUNTLET_TAG', 'stores')}-batch-"
        with tempfile.NamedTemporaryFile(dir="/dev/shm", prefix=prefix, delete=not keep) as file:
            file.write(random.randbytes(159_744))
            file.flush()


{"table": table, "pickles": pickles, "malloc": malloc, "shm": shm}[sys.argv[1]]()
