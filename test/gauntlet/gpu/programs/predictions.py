# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "2GiB"], "held": "predictions|masks"}
# All predictions of an evaluation are collected on the card before they are scored.
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 21, 1)).cuda().eval()


@torch.no_grad()
def predict(batches):
    predictions = []
    for number in range(batches):
        masks = model(torch.rand(4, 3, 256, 256, device="cuda"))
        predictions.append(masks)
        print("batch", number, flush=True)
    return torch.cat(predictions)


print(predict(400).shape)
