"""Holds a share of the card until it is killed."""

import sys
import time

import torch

free, total = torch.cuda.mem_get_info()
held = torch.empty(int(float(sys.argv[1]) * total), dtype=torch.uint8, device="cuda")
torch.cuda.synchronize()
print("held", flush=True)
time.sleep(600)
