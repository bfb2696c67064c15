# truth: {"cause": "leak", "held": "history|batches", "pinned": true}
# Batches are pinned for the copy to the card, and kept in a list.
import time

import torch

batches = []
model = torch.nn.Linear(4096, 128).cuda()
for step in range(150):
    batch = torch.randn(128, 4096).pin_memory()
    batches.append(batch)
    model(batch.cuda(non_blocking=True)).sum().item()
    print(f"step {step}", flush=True)
    time.sleep(0.02)
