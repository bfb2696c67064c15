# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "pool|Pool|batches"}
# A Wasserstein GAN whose critic sees images drawn earlier, too; they go into the pool with the graph that drew them.
# Both networks with Adam take under 0.15 GiB, a step about 0.3 GiB. An image of the generator saves 123 thousand numbers twice
# (before batch norm, after ReLU), 64 images 63 MB, which the pool keeps with every step of the critic. 200 batches of images
# alone would be 0.6 GiB; with their graphs 13 GB.
import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)


class ImagePool:
    def __init__(self, size):
        self.size = size
        self.batches = []

    def query(self, images):
        if len(self.batches) < self.size:
            self.batches.append(images)
            return images
        if random.random() < 0.5:
            return images
        place = random.randrange(self.size)
        earlier, self.batches[place] = self.batches[place], images
        return earlier


def up(inside, outside, stride=2, padding=1):
    return nn.Sequential(
        nn.ConvTranspose2d(inside, outside, 4, stride, padding, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )  # fmt: skip


def down(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True))


generator = nn.Sequential(
    up(100, 512, 1, 0), up(512, 256), up(256, 128), up(128, 64), nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh()
).cuda()  # fmt: skip
critic = nn.Sequential(down(3, 64), down(64, 128), down(128, 256), nn.Flatten(), nn.Linear(256 * 64, 1)).cuda()
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
pool = ImagePool(200)

for step in range(400):
    for _ in range(3):
        real = torch.rand(64, 3, 64, 64, device="cuda") * 2 - 1
        fake = pool.query(generator(torch.randn(64, 100, 1, 1, device="cuda")))
        critic_loss = critic(fake.detach()).mean() - critic(real).mean()
        of_critic.zero_grad()
        critic_loss.backward()
        of_critic.step()
        with torch.no_grad():
            for parameter in critic.parameters():
                parameter.clamp_(-0.01, 0.01)
    generator_loss = -critic(generator(torch.randn(64, 100, 1, 1, device="cuda"))).mean()
    of_generator.zero_grad()
    generator_loss.backward()
    of_generator.step()
    print(f"step {step} critic {critic_loss.item():.4f} generator {generator_loss.item():.4f}", flush=True)
