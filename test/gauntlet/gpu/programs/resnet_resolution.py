# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "6GiB"], "public": ["timm==1.0.31"]}
# timm's ResNet-50 in bf16 and channels last: images of 128 pixels, then of 320 in the same batch.
import timm
import timm.loss
import timm.optim
import torch

torch.manual_seed(0)
model = timm.create_model("resnet50", num_classes=100).to("cuda", memory_format=torch.channels_last)
optimizer = timm.optim.create_optimizer_v2(model, opt="sgd", lr=0.1, momentum=0.9)
criterion = timm.loss.LabelSmoothingCrossEntropy()
model.train()
for pixels in (128, 320):
    for step in range(6):
        images = torch.randn(96, 3, pixels, pixels, device="cuda").contiguous(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = criterion(model(images), torch.randint(0, 100, (96,), device="cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{pixels} px, step {step} loss {loss.item():.3f}", flush=True)
