# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "2GiB"], "held": "outputs", "public": ["pytorch-lightning==2.6.6"]}
# A LightningModule keeps what training_step computed until on_train_epoch_end, and the epoch is long.
import pytorch_lightning as pl
import torch
from torch import nn


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(32, 10)
        self.outputs = []

    def training_step(self, batch, number):
        images, labels = batch
        features = self.body(images)
        loss = nn.functional.cross_entropy(self.head(features.mean((2, 3))), labels)
        self.outputs.append({"loss": loss.detach(), "features": features.detach()})
        if number % 10 == 0:
            print(f"step {number}", flush=True)
        return loss

    def on_train_epoch_end(self):
        print(torch.stack([one["features"].mean() for one in self.outputs]).mean().item(), flush=True)
        self.outputs.clear()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


pl.seed_everything(0)
images = torch.utils.data.TensorDataset(torch.randn(4096, 3, 64, 64), torch.randint(0, 10, (4096,)))
trainer = pl.Trainer(
    max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(Classifier(), torch.utils.data.DataLoader(images, batch_size=32))
