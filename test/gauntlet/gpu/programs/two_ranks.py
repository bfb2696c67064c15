# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"], "by": ["{python}", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]}
# Two ranks of DistributedDataParallel share a card through Gloo; the second epoch has a larger batch.
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(1024, 1024), nn.GELU())]).to("cuda")
model = DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for batch in (512, 32_768):
    for step in range(10):
        loss = model(torch.randn(batch, 1024, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print(f"batch of {batch}: loss {loss.item():.3f}", flush=True)
torch.distributed.destroy_process_group()
