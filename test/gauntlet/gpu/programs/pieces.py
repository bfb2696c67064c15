# truth: {"cause": "fragmentation", "ends": 1, "record": ["--gpu-limit", "4GiB"]}
# Buffers of two kinds lie side by side, and one kind goes: much is free, and no piece is large enough.
import torch

torch.manual_seed(0)
kept, passing = [], []
for number in range(280):
    passing.append(torch.empty(6 << 20, dtype=torch.uint8, device="cuda"))
    kept.append(torch.empty(4 << 20, dtype=torch.uint8, device="cuda"))
    if number % 20 == 0:
        print("buffer", number, flush=True)
passing.clear()
print("needs", torch.empty(1200 << 20, dtype=torch.uint8, device="cuda").numel())
