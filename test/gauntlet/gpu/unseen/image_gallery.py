# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "held": "gallery", "public": ["timm==1.0.31"]}
# A service that matches photographs keeps the feature map that timm's model made of each, by the photograph's name.
import timm
import torch

torch.manual_seed(0)
model = timm.create_model("mobilenetv3_large_100", features_only=True).eval().to("cuda")
gallery = {}


@torch.inference_mode()
def add(names, photographs):
    maps = model(photographs)
    for number, name in enumerate(names):
        gallery[name] = [level[number].clone() for level in maps[1:]]


for upload in range(2000):
    add([f"{upload}/{number}" for number in range(16)], torch.randn(16, 3, 224, 224, device="cuda"))
    if upload % 20 == 0:
        print("upload", upload, flush=True)
