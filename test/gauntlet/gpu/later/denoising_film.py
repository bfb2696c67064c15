# truth: {"cause": "kept-tensors", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "held": "frames", "public": ["diffusers==0.42.1"]}
# A sampler that shows how its images come to be: each of 200 steps becomes a frame of a film, and all frames stay on the card.
# The UNet has under 10 million parameters (40 MB), a pass over eight images of 64 x 64 takes about 0.1 GB. A frame is eight
# images of 512 x 512 as floats: 25 MB; 200 are 5 GB, and 1.5 are there. Without them every step takes the same.
import torch
from diffusers import DDPMScheduler, UNet2DModel
from torch.nn import functional as F

torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=64, block_out_channels=(64, 128, 128), layers_per_block=1,
    down_block_types=("DownBlock2D",) * 3, up_block_types=("UpBlock2D",) * 3,
).to("cuda").eval()  # fmt: skip
scheduler = DDPMScheduler()
scheduler.set_timesteps(200)


@torch.no_grad()
def film(images):
    sample = torch.randn(images, 3, 64, 64, device="cuda")
    frames = []
    for number, time in enumerate(scheduler.timesteps):
        noise = unet(sample, time).sample
        sample = scheduler.step(noise, time, sample).prev_sample
        frames.append(F.interpolate(sample.clamp(-1, 1), size=(512, 512), mode="bilinear"))
        if number % 10 == 0:
            print(f"step {number} of {len(scheduler.timesteps)}", flush=True)
    return torch.stack(frames).add(1).mul(127.5).byte().cpu()


print(film(8).shape)
