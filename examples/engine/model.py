"""A decoder-only transformer whose attention reads keys and values from the pages of a pool."""

import torch
import torch.nn.functional as F
from torch import nn


class Transformer(nn.Module):
    def __init__(self, vocabulary, dim, layers, heads, context):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(context, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(layers))
        self.norm = nn.RMSNorm(dim)
        self.head = nn.Linear(dim, vocabulary, bias=False)

    def forward(self, tokens, positions, pool, slots, tables):
        """The logits of the last of the ``tokens`` of each row.

        ``positions``: of each token in its request, like ``tokens``. ``slots``: where its key and value go, as
        places in the pool. ``tables``: the blocks of each row, in order; positions beyond a query's own are masked.
        """
        hidden = self.embedding(tokens) + self.positions(positions)
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, positions, pool[number], slots, tables)
        return self.head(self.norm(hidden[:, -1]))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.before_attention = nn.RMSNorm(dim)
        self.attention = Attention(dim, heads)
        self.before_mlp = nn.RMSNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, hidden, *where):
        hidden = hidden + self.attention(self.before_attention(hidden), *where)
        return hidden + self.mlp(self.before_mlp(hidden))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, hidden, positions, pages, slots, tables):
        rows, length, dim = hidden.shape
        query, key, value = self.qkv(hidden).view(rows, length, 3, self.heads, -1).unbind(2)
        # pages: keys and values, blocks, tokens of a block, heads, size of a head
        places = pages.flatten(1, 2)
        places[0].index_copy_(0, slots.flatten(), key.flatten(0, 1))
        places[1].index_copy_(0, slots.flatten(), value.flatten(0, 1))
        keys, values = (page[tables].flatten(1, 2).transpose(1, 2) for page in pages)
        seen = torch.arange(keys.shape[2], device=hidden.device) <= positions[:, None, :, None]
        found = F.scaled_dot_product_attention(query.transpose(1, 2), keys, values, attn_mask=seen)
        return self.out(found.transpose(1, 2).reshape(rows, length, dim))


def make(options, device, dtype):
    """The same weights for the same seed, whatever the device."""
    torch.manual_seed(options.seed)
    model = Transformer(options.vocabulary, options.dim, options.layers, options.heads, options.context)
    return model.to(dtype).to(device).eval().requires_grad_(False)
