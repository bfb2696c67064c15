# truth: {"cause": "no-problem-seen", "by": ["{python}", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1"]}
# One rank of DistributedDataParallel over NCCL in bf16 with gradient accumulation: it fits.
import contextlib

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", 0))
torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(16) for m in (nn.Linear(2048, 2048), nn.GELU())]).cuda()
model = DistributedDataParallel(model, device_ids=[0])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(100):
    optimizer.zero_grad()
    for micro in range(4):
        with contextlib.nullcontext() if micro == 3 else model.no_sync(), torch.autocast("cuda", torch.bfloat16):
            loss = model(torch.randn(2048, 2048, device="cuda")).square().mean()
            loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
torch.distributed.destroy_process_group()
