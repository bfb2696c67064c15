"""VGG-19's forward pass with one of five ways to compute a convolution, to compare their memory.

    highwater sweep --param kernel=direct,im2col,fft,winograd,cudnn -- python infer.py {kernel}

Needs torch and an NVIDIA GPU; `--device cpu` works too, slowly. The weights are random: what a
convolution needs does not depend on them.
"""

import argparse

import torch
import torch.nn.functional as F

# Channels of each convolution; M halves the picture.
LAYERS = [64, 64, "M", 128, 128, "M", 256, 256, 256, 256, "M", 512, 512, 512, 512, "M", 512, 512, 512, 512, "M"]


def cudnn(x, weight, bias):
    """What torch does by itself: cuDNN chooses."""
    return F.conv2d(x, weight, bias, padding=1)


def direct(x, weight, bias):
    """One product for each of the nine taps, added up: no copy of the input but its padding."""
    height, width = x.shape[-2:]
    padded = F.pad(x, (1, 1, 1, 1))
    out = bias.view(1, -1, 1, 1).expand(x.shape[0], -1, height, width).clone()
    for row in range(3):
        for column in range(3):
            window = padded[..., row : row + height, column : column + width]
            out += torch.einsum("oc,nchw->nohw", weight[:, :, row, column], window)
    return out


def im2col(x, weight, bias):
    """Every 3 × 3 window copied into a column, then one matrix product."""
    columns = F.unfold(x, kernel_size=3, padding=1)
    out = weight.flatten(1) @ columns + bias.view(1, -1, 1)
    return out.view(x.shape[0], weight.shape[0], *x.shape[-2:])


def fft(x, weight, bias):
    """A product of spectra: all filters are as large as the picture while it lasts."""
    height, width = x.shape[-2:]
    size = (height + 2, width + 2)
    spectrum = torch.fft.rfft2(x, s=size)
    # A convolution layer is a correlation: the filters are turned around.
    filters = torch.fft.rfft2(weight.flip(-1, -2), s=size)
    product = torch.einsum("nchw,ochw->nohw", spectrum, filters)
    return torch.fft.irfft2(product, s=size)[..., 1 : height + 1, 1 : width + 1] + bias.view(1, -1, 1, 1)


def winograd(x, weight, bias):
    """F(2×2, 3×3): 16 products for each 2 × 2 tile of output instead of 36."""
    g = x.new_tensor([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
    b = x.new_tensor([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    a = x.new_tensor([[1, 1, 1, 0], [0, 1, -1, -1]])
    batch, _, height, width = x.shape
    tiles = F.pad(x, (1, 1, 1, 1)).unfold(2, 4, 2).unfold(3, 4, 2)
    inputs = torch.einsum("ij,nchwjk,lk->nchwil", b, tiles, b)
    filters = torch.einsum("ij,ocjk,lk->ocil", g, weight, g)
    products = torch.einsum("nchwil,ocil->nohwil", inputs, filters)
    out = torch.einsum("ij,nohwjk,lk->nohiwl", a, products, a)
    return out.reshape(batch, -1, height, width) + bias.view(1, -1, 1, 1)


KERNELS = {kernel.__name__: kernel for kernel in (direct, im2col, fft, winograd, cudnn)}


def make_weights(device):
    channels, weights = 3, []
    for layer in LAYERS:
        if layer == "M":
            continue
        weights.append((torch.randn(layer, channels, 3, 3, device=device) * (2 / channels / 9) ** 0.5,
                        torch.zeros(layer, device=device)))
        channels = layer
    head = [(torch.randn(out, size, device=device) * 0.01, torch.zeros(out, device=device))
            for size, out in ((512 * 7 * 7, 4096), (4096, 4096), (4096, 1000))]
    return weights, head


def forward(x, convolve, weights, head):
    convolutions = iter(weights)
    for layer in LAYERS:
        x = F.max_pool2d(x, 2) if layer == "M" else F.relu_(convolve(x, *next(convolutions)))
    x = x.flatten(1)
    for weight, bias in head[:-1]:
        x = F.relu_(F.linear(x, weight, bias))
    return F.linear(x, *head[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", choices=KERNELS)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(1)
    with torch.inference_mode():
        weights, head = make_weights(options.device)
        x = torch.randn(options.batch, 3, 224, 224, device=options.device)
        for iteration in range(1, options.iterations + 1):
            scores = forward(x, KERNELS[options.kernel], weights, head)
            print(f"Iteration {iteration}, score {scores[0].max().item():.4f}", flush=True)


if __name__ == "__main__":
    main()
