# truth: {"cause": "activations", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"]}
# A server that takes all waiting requests as one batch.
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
model = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).cuda().eval()
with torch.inference_mode():
    for waiting in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        answer = model(torch.randn(waiting, 512, 768, device="cuda"))
        print("requests", waiting, answer.mean().item(), flush=True)
