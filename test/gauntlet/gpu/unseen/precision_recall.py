# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "preds|metric|Curve|Precision", "public": ["torchmetrics==1.9.0", "torchvision==0.26.0"]}
# torchvision's segmentation model is tested: torchmetrics' average precision without thresholds keeps every pixel's score.
import torch
from torchmetrics.classification import MultilabelAveragePrecision
from torchvision.models.segmentation import lraspp_mobilenet_v3_large

torch.manual_seed(0)
LABELS = 8
model = lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=LABELS).eval().to("cuda")
metric = MultilabelAveragePrecision(LABELS, validate_args=False).to("cuda")
with torch.no_grad():
    for batch in range(400):
        images = torch.randn(8, 3, 256, 256, device="cuda")
        scores = model(images)["out"].sigmoid()
        metric.update(scores, torch.randint(0, 2, scores.shape, device="cuda"))
        if batch % 10 == 0:
            print("batch", batch, flush=True)
print(metric.compute().item(), flush=True)
