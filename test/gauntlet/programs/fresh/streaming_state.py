# A recurrent model hears a stream, and carries its state from chunk to chunk: with its graph, or detached. Silent.
# truth: {"leak": true, "args": ["graph"], "needs": ["torch"], "culprit": "main|python|tensor|state", "slope": [1300000, 1560000], "per": "second", "why": "thirty chunks a second, whose graphs hold 45 to 48 kB each"}
# truth: {"leak": false, "args": ["detached"], "needs": ["torch"]}
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
cell, head = torch.nn.GRUCell(40, 128), torch.nn.Linear(128, 30)
state = torch.zeros(8, 128)
began, chunk, words = time.monotonic(), 0, 0
while (elapsed := time.monotonic() - began) < 50:
    while chunk < elapsed * 30:
        state = cell(torch.randn(8, 40), state)
        if sys.argv[1] == "detached":
            state = state.detach()
        words += int((head(state).argmax(1) != 0).sum())
        chunk += 1
    time.sleep(0.03)
print("chunks", chunk, "words", words)
state = state.detach()
