# truth: {"cause": "no-problem-seen", "public": ["open_clip_torch==3.3.0"]}
# OpenCLIP's ViT-B-32 in bf16 with its own loss and gradient checkpointing, in a batch of 128 pairs.
import open_clip
import torch

torch.manual_seed(0)
model = open_clip.create_model("ViT-B-32", pretrained=None, device="cuda")
model.set_grad_checkpointing()
loss_of = open_clip.ClipLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(40):
    images, texts = torch.randn(128, 3, 224, 224, device="cuda"), torch.randint(1, 49_000, (128, 77), device="cuda")
    with torch.autocast("cuda", torch.bfloat16):
        loss = loss_of(*model(images, texts))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
