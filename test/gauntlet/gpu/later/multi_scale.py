# truth: {"cause": "other-process", "ends": 1, "alone": true, "beside": ["fills_card.py", "0.96"], "public": ["timm==1.0.31"]}
# ResNet-50 of timm on 64 images at a time, of growing size, on a card that a colleague's process has nearly filled.
# That process holds 134 of 140 GiB; with two contexts under 5 GiB are left. Weights, gradients and momentum are 0.3 GB; 64 images
# save about 1 GB at 96 pixels, 5.6 GB at 224, 9.3 GB at 288: a fifteenth of the card, had it been free.
import timm
import torch
from torch.nn import functional as F

torch.manual_seed(0)
model = timm.create_model("resnet50", num_classes=200).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for pixels in (96, 128, 160, 192, 224, 256, 288):
    for _ in range(4):
        images = torch.randn(64, 3, pixels, pixels, device="cuda")
        loss = F.cross_entropy(model(images), torch.randint(0, 200, (64,), device="cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{pixels} pixels: loss {loss.item():.3f}", flush=True)
