"""Small models of the kinds that people train, with a batch for each."""

import torch
from torch import nn


class NeuMF(nn.Module):
    """The recommender of the original's example."""

    def __init__(self, users=1000, items=200, mf=8, mlp=16):
        super().__init__()
        self.mf_user_embed = nn.Embedding(users, mf)
        self.mf_item_embed = nn.Embedding(items, mf)
        self.mlp_user_embed = nn.Embedding(users, mlp)
        self.mlp_item_embed = nn.Embedding(items, mlp)
        self.mlp = nn.ModuleList([nn.Linear(2 * mlp, 32), nn.Linear(32, 16), nn.Linear(16, 8)])
        self.final = nn.Linear(8 + mf, 1)

    def forward(self, user, item):
        mf = self.mf_user_embed(user) * self.mf_item_embed(item)
        mlp = torch.cat((self.mlp_user_embed(user), self.mlp_item_embed(item)), dim=1)
        for layer in self.mlp:
            mlp = torch.relu(layer(mlp))
        return self.final(torch.cat((mf, mlp), dim=1))


class Tagger(nn.Module):
    """An LSTM: its output is a tuple."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 12)
        self.lstm = nn.LSTM(12, 16, num_layers=2, batch_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, words):
        out, (_, _) = self.lstm(self.embed(words))
        return self.head(out)


class Tied(nn.Module):
    """Two names for one weight, and two parameters on one storage."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Embedding(50, 8)
        self.middle = nn.Linear(8, 8)
        self.decoder = nn.Linear(8, 50, bias=False)
        self.decoder.weight = self.encoder.weight
        self.twin = nn.Linear(8, 8, bias=False)
        self.twin.weight = nn.Parameter(self.middle.weight.data)

    def forward(self, words):
        return self.decoder(self.twin(self.middle(self.encoder(words))))


def mlp():
    return nn.Sequential(nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 10)), (torch.randn(16, 20),)


def vgg():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, 10),
    )
    return model, (torch.randn(4, 3, 16, 16),)


def lstm():
    return Tagger(), (torch.randint(0, 100, (3, 7)),)


def transformer():
    layer = nn.TransformerEncoderLayer(16, 2, dim_feedforward=32, dropout=0.1, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(2, 5, 16),)


def neumf():
    return NeuMF(), (torch.randint(0, 1000, (64,)), torch.randint(0, 200, (64,)))


def tied():
    return Tied(), (torch.randint(0, 50, (4, 6)),)


def nbytes(tensor):
    return tensor.numel() * tensor.element_size()


ALL = {"mlp": mlp, "vgg": vgg, "lstm": lstm, "transformer": transformer, "neumf": neumf, "tied": tied}


def build(name, seed=0):
    """The model and its batch, always the same."""
    torch.manual_seed(seed)
    return ALL[name]()


def step(model, batch, optimizer):
    """One iteration; its loss."""
    optimizer.zero_grad()
    output = model(*batch)
    loss = (output * output).sum()
    loss.backward()
    optimizer.step()
    return loss
