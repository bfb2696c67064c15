# truth: {"cause": "activations", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "public": ["diffusers==0.42.1"]}
# A service draws images with diffusers' DDPMPipeline; most requests are for a few, and one is for 768.
import torch
from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel

torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=64, block_out_channels=(64, 128, 128), layers_per_block=1,
    down_block_types=("DownBlock2D",) * 3, up_block_types=("UpBlock2D",) * 3,
)  # fmt: skip
pipeline = DDPMPipeline(unet, DDPMScheduler()).to("cuda")
pipeline.set_progress_bar_config(disable=True)
for images in (2, 4, 2, 8, 4, 2, 768):
    drawn = pipeline(batch_size=images, num_inference_steps=6, output_type="np").images
    print(images, "images:", drawn.shape, flush=True)
