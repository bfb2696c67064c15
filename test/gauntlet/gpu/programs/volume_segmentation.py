# truth: {"cause": "no-problem-seen", "held": "activation", "record": ["--gpu-limit", "5GiB"], "public": ["monai==1.6.1"]}
# MONAI's 3D UNet with its Dice loss on patches of 64 voxels, then of 160, which just fit.
import torch
from monai.losses import DiceCELoss
from monai.networks.nets import UNet

torch.manual_seed(0)
model = UNet(
    spatial_dims=3, in_channels=1, out_channels=3, channels=(32, 64, 128, 256), strides=(2, 2, 2), num_res_units=2,
).to("cuda")  # fmt: skip
loss_of = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for voxels in (64, 160):
    for step in range(6):
        scan = torch.randn(2, 1, voxels, voxels, voxels, device="cuda")
        loss = loss_of(model(scan), torch.randint(0, 3, scan.shape, device="cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{voxels} voxels, step {step} loss {loss.item():.3f}", flush=True)
