# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "imgs", "public": ["denoising-diffusion-pytorch==2.3.4"]}
# Images are sampled by denoising_diffusion_pytorch's own loop, which keeps each of its 1000 steps: return_all_timesteps.
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

torch.manual_seed(0)
diffusion = GaussianDiffusion(Unet(dim=16, dim_mults=(1, 2)), image_size=64, timesteps=1000).to("cuda")
print("sampling", flush=True)
steps = diffusion.sample(batch_size=160, return_all_timesteps=True)
print(steps.shape, flush=True)
