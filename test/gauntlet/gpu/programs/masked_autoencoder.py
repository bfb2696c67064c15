# truth: {"cause": "no-problem-seen", "held": "activation", "quiet": true, "public": ["vit-pytorch==1.26.11", "einops==0.8.2"]}
# vit-pytorch's masked autoencoder over its SimpleViT, whose encoder is compiled: it fits, and nothing grows.
import torch
from vit_pytorch import MAE, SimpleViT

torch.manual_seed(0)
vit = SimpleViT(image_size=224, patch_size=16, num_classes=1000, dim=512, depth=4, heads=8, mlp_dim=2048)
model = MAE(encoder=vit, masking_ratio=0.75, decoder_dim=256, decoder_depth=2).to("cuda")
vit.transformer = torch.compile(vit.transformer)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(60):
    loss = model(torch.randn(128, 3, 224, 224, device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
