# truth: {"cause": "activations", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "public": ["denoising-diffusion-pytorch==2.3.4"]}
# Images are sampled by denoising_diffusion_pytorch's own loop, 160 at a time: the attention of the first step does not fit.
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

torch.manual_seed(0)
diffusion = GaussianDiffusion(Unet(dim=16, dim_mults=(1, 2)), image_size=64, timesteps=1000).to("cuda")
print("sampling", flush=True)
steps = diffusion.sample(batch_size=160, return_all_timesteps=True)
print(steps.shape, flush=True)
