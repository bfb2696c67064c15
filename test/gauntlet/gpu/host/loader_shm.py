# truth: {"cause": "shm-full", "by": ["{here}/beside/small_shm.sh", "64m", "{python}"]}
# Batches of a DataLoader's workers pass through /dev/shm, which is as small as a container's.
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, number):
        return torch.full((3, 512, 512), float(number))


if __name__ == "__main__":
    for number, batch in enumerate(DataLoader(Images(), batch_size=16, num_workers=2)):
        print("batch", number, batch.mean().item(), flush=True)
