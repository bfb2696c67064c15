# truth: {"cause": "too-large", "ends": 1, "record": ["--gpu-limit", "2GiB"], "public": ["diffusers==0.42.1"]}
# diffusers' UNet in the size of Stable Diffusion's, in float32: it does not fit by itself.
import torch
from diffusers import UNet2DConditionModel

torch.manual_seed(0)
with torch.device("cuda"):
    model = UNet2DConditionModel(sample_size=64, cross_attention_dim=768, attention_head_dim=8)
print("built", sum(one.numel() for one in model.parameters()), flush=True)
with torch.inference_mode():
    noise, text = torch.randn(1, 4, 64, 64, device="cuda"), torch.randn(1, 77, 768, device="cuda")
    print(model(noise, 10, text).sample.shape, flush=True)
