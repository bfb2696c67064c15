"""The KV pool: keys and values of all requests in blocks of equal size, handed out and taken back."""

import torch


class KvCache:
    def __init__(self, options, blocks, device, dtype):
        head = options.dim // options.heads
        self._shape = (options.layers, 2, blocks, options.block, options.heads, head)
        self._device, self._dtype = device, dtype
        self.block = options.block
        self.blocks = blocks
        self.most_used = 0
        self._free = list(range(blocks - 1, 0, -1))  # block 0 is where padding goes
        self.pool = None
        self.fill()

    @property
    def used(self):
        return self.blocks - 1 - len(self._free)

    @property
    def usage(self):
        """Share of the pool that is in use."""
        return self.used / max(1, self.blocks - 1)

    @property
    def bytes(self):
        return 0 if self.pool is None else self.pool.nbytes

    def fill(self):
        self.pool = torch.zeros(self._shape, device=self._device, dtype=self._dtype)

    def drop(self):
        self.pool = None

    def grow(self, table, tokens):
        """Lengthens a request's table of blocks to hold so many tokens. False: there are not enough, and it is as it was."""
        more = -(-tokens // self.block) - len(table)
        if more > len(self._free):
            return False
        table.extend(self._free.pop() for _ in range(more))
        self.most_used = max(self.most_used, self.used)
        return True

    def release(self, table):
        self._free.extend(reversed(table))
        table.clear()

    def slots(self, table, first, count):
        """The places in the pool of so many tokens from the first one on."""
        return [table[at // self.block] * self.block + at % self.block for at in range(first, first + count)]

    def read(self, table, tokens):
        """A copy of what the first tokens of a request left: layers, keys and values, tokens, heads, size of a head."""
        places = torch.tensor(self.slots(table, 0, tokens), device=self._device)
        return self.pool.flatten(2, 3)[:, :, places]

    def write(self, table, kept):
        places = torch.tensor(self.slots(table, 0, kept.shape[2]), device=self._device)
        self.pool.flatten(2, 3)[:, :, places] = kept


def block_bytes(options, dtype):
    return 2 * options.layers * options.block * options.dim * dtype.itemsize
