# truth: {"cause": "graph-pools", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "public": ["timm==1.0.31"]}
# A classifier of timm behind CUDA graphs: the first request of each batch size captures a graph of its own.
import timm
import torch

torch.manual_seed(0)
model = timm.create_model("vit_small_patch16_224").half().eval().to("cuda")
graphs = {}


@torch.inference_mode()
def classify(images):
    size = len(images)
    if size not in graphs:
        place = torch.zeros_like(images)
        model(place)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            scores = model(place)
        graphs[size] = (graph, place, scores)
        print("captured", size, flush=True)
    graph, place, scores = graphs[size]
    place.copy_(images)
    graph.replay()
    return scores.argmax(-1).tolist()


for request in range(2000):
    classify(torch.randn(8 + request % 128, 3, 224, 224, dtype=torch.half, device="cuda"))
