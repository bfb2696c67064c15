# truth: {"cause": "fragmentation", "ends": 1, "record": ["--gpu-limit", "4GiB"]}
# Buffers of growing sizes, of which every second one stays: much is free, and no piece is large enough.
import torch

torch.manual_seed(0)
kept, passing = [], []
for number in range(90):
    passing.append(torch.empty((12 << 20) + number * (64 << 10), dtype=torch.uint8, device="cuda"))
    kept.append(torch.empty(9 << 20, dtype=torch.uint8, device="cuda"))
    pair = torch.empty(21 << 20, dtype=torch.uint8, device="cuda")
    del pair
    print("buffer", number, flush=True)
passing.clear()
print("needs", torch.empty(2400 << 20, dtype=torch.uint8, device="cuda").numel())
