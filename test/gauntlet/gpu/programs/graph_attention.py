# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["torch-geometric==2.8.0.post1"]}
# PyTorch Geometric's GAT on a whole graph at once: each edge carries a message of all heads, and the last graph has many edges.
import torch
from torch_geometric.data import Data
from torch_geometric.nn.models import GAT

torch.manual_seed(0)
model = GAT(in_channels=64, hidden_channels=128, num_layers=3, out_channels=10, heads=4).to("cuda")
optimizer = torch.optim.Adam(model.parameters())
NODES = 50_000
for edges in (100_000, 200_000, 300_000, 4_000_000):
    graph = Data(x=torch.randn(NODES, 64), edge_index=torch.randint(0, NODES, (2, edges)), y=torch.randint(0, 10, (NODES,)))
    graph = graph.to("cuda")
    loss = torch.nn.functional.cross_entropy(model(graph.x, graph.edge_index), graph.y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{edges} edges, loss {loss.item():.3f}", flush=True)
