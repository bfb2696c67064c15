# Counts its documents in words of its own. What it finds stays in a dict that nobody asks again, or only the newest do.
# truth: {"leak": true, "args": ["all"], "culprit": "main|python|found", "slope": [9500, 14500], "per": "iteration", "why": "a document leaves a string of 10 kB; every tenth is told"}
# truth: {"leak": false, "args": ["newest"]}
import collections
import sys
import time

DOCUMENTS = 1500
found = {} if sys.argv[1] == "all" else collections.OrderedDict()
for document in range(DOCUMENTS):
    found[document] = f"{document:08d} " * 1100
    if sys.argv[1] == "newest" and len(found) > 50:
        found.popitem(last=False)
    if document % 10 == 9:
        print(f"[indexer] {document + 1} documents, the last one had {len(found[document])} characters", flush=True)
    time.sleep(0.012)
