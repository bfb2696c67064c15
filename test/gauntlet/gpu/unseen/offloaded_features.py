# truth: {"cause": "leak", "held": "offloaded|Offload", "pinned": true}
# Hidden states are moved to pinned memory of the host to be asked for again, and nothing ever forgets them.
import time

import torch
from torch import nn


class Offload:
    def __init__(self):
        self.offloaded = {}

    def put(self, key, tensor):
        place = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        self.offloaded[key] = place.copy_(tensor)


torch.manual_seed(0)
offload = Offload()
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, batch_first=True), 4).cuda().eval()
for step in range(150):
    with torch.no_grad():
        offload.put(step, encoder(torch.randn(8, 128, 512, device="cuda")))
    print(f"step {step}", flush=True)
    time.sleep(0.02)
