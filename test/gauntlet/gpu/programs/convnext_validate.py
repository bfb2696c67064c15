# truth: {"cause": "evaluation-with-gradients", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["timm==1.0.31"]}
# timm's ConvNeXt is trained in batches of 8 and validated in batches of 256, with model.eval() and without torch.no_grad().
import timm
import timm.optim
import torch
from timm.utils import AverageMeter, accuracy

torch.manual_seed(0)
model = timm.create_model("convnext_tiny", num_classes=50).to("cuda")
optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-4)


def batch(size):
    return torch.randn(size, 3, 160, 160, device="cuda"), torch.randint(0, 50, (size,), device="cuda")


def train_one_epoch(epoch):
    model.train()
    for _ in range(30):
        images, labels = batch(8)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.3f}", flush=True)


def validate():
    model.eval()
    top1 = AverageMeter()
    for _ in range(4):
        images, labels = batch(256)
        top1.update(accuracy(model(images), labels)[0].item(), len(labels))
    return top1.avg


for epoch in range(3):
    train_one_epoch(epoch)
    print("top 1:", validate(), flush=True)
