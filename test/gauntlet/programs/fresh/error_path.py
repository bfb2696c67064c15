# A parser in C, called through ctypes: one document in five is malformed, and its table is then forgotten, or freed.
# truth: {"leak": true, "args": ["forgotten"], "culprit": "main|native|malloc|parse", "slope": [78000, 90000], "per": "iteration", "why": "eight tables of 10 kB in each batch"}
# truth: {"leak": false, "args": ["freed"]}
import ctypes
import os
import subprocess
import sys
import time

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
struct table { int rows; char cells[9996]; };
int parse(const char *text, int frees, struct table **out) {
    struct table *table = malloc(sizeof *table);
    memset(table, text[0], sizeof *table);
    table->rows = (int)strlen(text);
    for (const char *at = text; *at; at++)
        if (*at == '!') {
            if (frees) free(table);
            return -1;
        }
    *out = table;
    return table->rows;
}
void release(struct table *table) { free(table); }
"""
library = os.path.abspath("libparse.so")
subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=SOURCE, text=True, check=True)
parser = ctypes.CDLL(library)
parser.release.argtypes = [ctypes.c_void_p]
BATCHES = 420
began, good, bad = time.monotonic(), 0, 0
for batch in range(BATCHES):
    for number in range(40):
        table = ctypes.c_void_p()
        text = b"row;" * 50 + (b"!" if number % 5 == 0 else b"")
        if parser.parse(text, sys.argv[1] == "freed", ctypes.byref(table)) < 0:
            bad += 1
        else:
            good += 1
            parser.release(table)
    print(f"batch {batch + 1}/{BATCHES} good {good} bad {bad}", flush=True)
    time.sleep(max(0, began + 0.11 * (batch + 1) - time.monotonic()))
