"""A host buffer that what leaves the card goes through; pinned where there is a card."""

import torch


class Staging:
    def __init__(self, pinned, rewinds=True, most=None):
        self._pinned = pinned
        self._rewinds = rewinds
        self._most = most
        self._buffer = None
        self._at = 0
        self.asked = []  # sizes of all buffers there were

    @property
    def bytes(self):
        return 0 if self._buffer is None else self._buffer.nbytes

    def to_host(self, tensor):
        """A view of the buffer, good until the next step."""
        size = tensor.nbytes
        if self._buffer is None or self._at + size > self._buffer.nbytes:
            self._make_room(size)
        place = self._buffer[self._at : self._at + size].view(tensor.dtype).view(tensor.shape)
        place.copy_(tensor, non_blocking=True)
        self._at += -(-size // 64) * 64
        return place

    def step_ends(self):
        if self._rewinds:
            self._at = 0

    def _make_room(self, size):
        wanted = size if self._buffer is None else max(size, 2 * self._buffer.nbytes)
        if self._most is not None and wanted > self._most and size <= self.bytes:
            self._at = 0
            return
        self._buffer = torch.empty(wanted, dtype=torch.uint8, pin_memory=self._pinned)
        self.asked.append(wanted)
        # What was in the old one has been read: the new one is filled from where it ended.
        self._at = 0 if self._rewinds or len(self.asked) == 1 else wanted // 2
