# truth: {"cause": "workspaces", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"]}
# A server gives each of its models a CUDA stream and large workspaces for cuBLAS, which torch keeps for every stream.
import os

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":65536:2"

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(1024, 1024), nn.GELU())]).cuda().eval()
streams = [torch.cuda.Stream() for _ in range(32)]
with torch.inference_mode():
    for request in range(400):
        with torch.cuda.stream(streams[request % len(streams)]):
            answer = model(torch.randn(64, 1024, device="cuda")).sum().item()
        if request % 10 == 0:
            print("request", request, answer, flush=True)
