# A training as it should be: Adam, a data loader with two workers or none, nothing kept.
# truth: {"leak": false, "args": ["0"], "needs": ["torch"], "quick": true}
# truth: {"leak": false, "args": ["2"], "needs": ["torch"]}
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
data = TensorDataset(torch.randn(4096, 128), torch.randint(0, 10, (4096,)))
model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.Adam(model.parameters())
criterion = torch.nn.CrossEntropyLoss()
loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=int(sys.argv[1]), persistent_workers=sys.argv[1] != "0")
for epoch in range(5):
    for batch, (inputs, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        if batch % 16 == 0:
            print(f"epoch {epoch + 1}/5 step {batch}/{len(loader)} loss {loss.item():.4f}", flush=True)
