# truth: {"cause": "evaluation-with-gradients", "ends": 1, "record": ["--gpu-limit", "5GiB"], "public": ["torchvision==0.26.0"]}
# torchvision's Swin is trained in bf16 on 16 images at a time; its test takes 512, and forgot torch.inference_mode().
import torch
from torchvision.models import swin_t

torch.manual_seed(0)
model = swin_t(weights=None, num_classes=20).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def loader(batches, size):
    for _ in range(batches):
        yield torch.randn(size, 3, 224, 224, device="cuda"), torch.randint(0, 20, (size,), device="cuda")


def train_one_epoch():
    model.train()
    for images, labels in loader(25, 16):
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return loss.item()


def evaluate():
    model.eval()
    right = seen = 0
    for images, labels in loader(4, 512):
        with torch.autocast("cuda", torch.bfloat16):
            scores = model(images)
        right += (scores.argmax(1) == labels).sum().item()
        seen += len(labels)
    return right / seen


for epoch in range(3):
    print(f"epoch {epoch} loss {train_one_epoch():.3f}", flush=True)
    print("accuracy", evaluate(), flush=True)
