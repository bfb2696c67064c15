# truth: {"cause": "graph-pools", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"]}
# A server captures a CUDA graph for every batch size, each with a pool of its own.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[m for _ in range(12) for m in (nn.Linear(4096, 4096), nn.GELU())]).cuda().half().eval()
graphs = {}
with torch.inference_mode():
    for size in range(64, 64 * 65, 64):
        x = torch.zeros(size, 4096, device="cuda", dtype=torch.half)
        model(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        graphs[size] = (graph, x, y)
        print("captured", size, flush=True)
