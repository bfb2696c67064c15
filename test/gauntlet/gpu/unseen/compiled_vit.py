# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "3GiB"], "public": ["vit-pytorch==1.26.11"]}
# vit-pytorch's SimpleViT, compiled, in bf16: a batch of 64 runs, and then one of 512 is tried.
import torch
from vit_pytorch import SimpleViT

torch.manual_seed(0)
model = SimpleViT(image_size=224, patch_size=16, num_classes=100, dim=384, depth=6, heads=6, mlp_dim=1536).to("cuda")
model = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for batch in (64, 512):
    for step in range(8):
        images, labels = torch.randn(batch, 3, 224, 224, device="cuda"), torch.randint(0, 100, (batch,), device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"batch of {batch}, step {step} loss {loss.item():.3f}", flush=True)
