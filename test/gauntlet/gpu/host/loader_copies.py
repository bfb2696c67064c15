# truth: {"cause": "limit", "by": ["{here}/beside/in_group.sh", "900M", "{python}"]}
# Each of a DataLoader's workers keeps the samples that it decoded, in a container with 900 MB.
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Decoded(Dataset):
    def __init__(self):
        self.known = {}

    def __len__(self):
        return 100_000

    def __getitem__(self, number):
        if number not in self.known:
            self.known[number] = torch.full((256, 1024), float(number))
        return self.known[number].mean()


if __name__ == "__main__":
    for number, batch in enumerate(DataLoader(Decoded(), batch_size=8, num_workers=2)):
        print("batch", number, flush=True)
        time.sleep(0.03)
