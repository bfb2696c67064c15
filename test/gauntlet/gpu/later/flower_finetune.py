# truth: {"cause": "optimizer-state", "ends": 1, "record": ["--gpu-limit", "2900MiB"], "public": ["timm==1.0.31"]}
# A ViT of timm with a moving average of its weights: the head is trained first, then all of it with a new AdamW.
# Weights 0.65 GiB, their average 0.65, gradients 0.65: with two images' activations (0.5 GiB before there are gradients)
# the backward pass ends at about 2 GiB, of 2.3 that torch has. AdamW's two tensors for each parameter are 1.3 GiB more: even
# without the average, weights, gradients and state are 2.6 GiB. The head alone has 78 thousand parameters.
import timm
import torch
from timm.utils import ModelEmaV3
from torch.nn import functional as F

torch.manual_seed(0)
model = timm.create_model("vit_base_patch16_224", depth=24, num_classes=102).to("cuda")
average = ModelEmaV3(model, decay=0.999)


def train(optimizer, steps):
    for step in range(steps):
        images = torch.randn(2, 3, 224, 224, device="cuda")
        labels = torch.randint(0, 102, (2,), device="cuda")
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        print(f"step {step} loss {loss.item():.3f}", flush=True)


model.requires_grad_(False)
model.get_classifier().requires_grad_(True)
train(torch.optim.AdamW(model.get_classifier().parameters(), lr=1e-3), 12)
print("head is trained, now all of it", flush=True)
model.requires_grad_(True)
train(torch.optim.AdamW(model.parameters(), lr=2e-5), 40)
