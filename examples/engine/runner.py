"""Runs the model: one request's prompt, or one token of each request that runs."""

import torch


class Runner:
    def __init__(self, model, cache, device, width):
        self._model = model
        self._cache = cache
        self._device = device
        self._width = width  # blocks of the longest request

    def prefill(self, request):
        """Computes what is not in the KV pool yet. Returns the logits after the last token, one row."""
        first, tokens = request.done, request.tokens
        new = tokens[first:]
        logits = self._model(
            self._integers([new]),
            self._integers([range(first, len(tokens))]),
            self._cache.pool,
            self._integers([self._cache.slots(request.table, first, len(new))]),
            self._tables([request]),
        )
        request.done = len(tokens)
        return logits

    def inputs(self, requests):
        """Of a decode: the newest token of each request, its position, its place in the pool, the request's blocks."""
        last = [len(request.tokens) - 1 for request in requests]
        for request in requests:
            request.done = len(request.tokens)
        return (
            self._integers([request.tokens[-1:] for request in requests]),
            self._integers([[at] for at in last]),
            self._integers([self._cache.slots(request.table, at, 1) for request, at in zip(requests, last)]),
            self._tables(requests),
        )

    def decode(self, tokens, positions, slots, tables):
        return self._model(tokens, positions, self._cache.pool, slots, tables)

    def largest(self, options):
        """The passes that need most: the longest prompt, and a decode of a full batch. They write to block 0 alone."""
        none = self._integers([[0]])
        for rows, tokens in ((1, options.context), (options.batch, 1)):
            shape = (rows, tokens)
            self._model(none.expand(shape), none.expand(shape), self._cache.pool, none.expand(shape), none.expand(rows, self._width))

    def _tables(self, requests):
        """As long as the longest, so that shapes are few: of all the same width where a graph may replay them."""
        longest = max(len(request.table) for request in requests)
        return self._integers([request.table + [0] * (longest - len(request.table)) for request in requests])

    def _integers(self, rows):
        return torch.tensor([list(row) for row in rows], dtype=torch.int64).to(self._device.name)
