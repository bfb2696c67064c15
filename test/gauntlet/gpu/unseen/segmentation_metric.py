# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "scores|MeanIoU"}
# A segmentation training whose metric keeps the scores of every batch until the epoch ends.
import torch
from torch import nn


class MeanIoU:
    def __init__(self, classes):
        self.classes = classes
        self.scores, self.targets = [], []

    def update(self, scores, targets):
        self.scores.append(scores)
        self.targets.append(targets)

    def compute(self):
        guess, truth = torch.cat(self.scores).argmax(1), torch.cat(self.targets)
        ious = []
        for c in range(self.classes):
            both, either = (guess == c) & (truth == c), (guess == c) | (truth == c)
            ious.append(both.sum() / either.sum().clamp(min=1))
        return torch.stack(ious).mean().item()


torch.manual_seed(0)
CLASSES, SIZE, BATCH = 21, 256, 8
model = nn.Sequential(
    nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
    nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
    nn.Conv2d(32, CLASSES, 1),
).cuda()  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
metric = MeanIoU(CLASSES)
for step in range(200):
    images = torch.randn(BATCH, 3, SIZE, SIZE, device="cuda")
    masks = torch.randint(0, CLASSES, (BATCH, SIZE, SIZE), device="cuda")
    scores = model(images)
    loss = nn.functional.cross_entropy(scores, masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    metric.update(scores.detach(), masks)
    print(f"step {step} loss {loss.item():.3f}", flush=True)
print("mIoU", metric.compute())
