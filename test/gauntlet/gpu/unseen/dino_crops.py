# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["vit-pytorch==1.26.11"]}
# vit-pytorch's Dino learner around its ViT, with batches that double.
import torch
from vit_pytorch import Dino, ViT

torch.manual_seed(0)
vit = ViT(image_size=224, patch_size=16, num_classes=1000, dim=384, depth=6, heads=6, mlp_dim=1536)
learner = Dino(vit, image_size=224, hidden_layer="to_latent", projection_hidden_size=256, projection_layers=2).to("cuda")
optimizer = torch.optim.Adam(learner.parameters(), lr=3e-4)
for batch in (4, 8, 16, 32, 64, 128, 256):
    for step in range(3):
        loss = learner(torch.randn(batch, 3, 224, 224, device="cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        learner.update_moving_average()
    print(f"batch of {batch}: loss {loss.item():.3f}", flush=True)
