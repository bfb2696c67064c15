"""What a model is given within an iteration: storages that count once, for as long as the program keeps them."""

import weakref

from .._storage import quiet_storages

# Of a loop that calls the model for ever without an end of its iteration.
MOST = 256


class Inputs:
    def __init__(self, storages_live):
        self._storages_live = storages_live
        self._known = {}  # storage → (bytes, device, a weak reference that takes it out again)
        self._given = []  # weak references to all tensors, also of calls that are not followed
        self._over = False
        self.most = 0

    def __contains__(self, storage):
        return storage in self._known

    def give(self, tensors):
        """The model is called with these. Those of the iteration before are forgotten only now."""
        if self._over or len(self._given) >= MOST:
            self._over = False
            self._given = []
        self._given += map(weakref.ref, tensors)

    def add(self, tensor, is_other):
        """``is_other(storage)``: it is counted as something else already."""
        for storage, size, device in quiet_storages(tensor):
            if storage not in self._known and not is_other(storage):
                self._known[storage] = (size, device, weakref.ref(self._lasting(tensor), self._forget(storage)))
        self.most = max(self.most, self.total())

    def total(self):
        return sum(known[0] for known in list(self._known.values()))

    def given(self):
        """The tensors of this iteration, or of the last until the next one's come, that still live."""
        return [tensor for tensor in (reference() for reference in self._given) if tensor is not None]

    def restart(self):
        """An iteration is over."""
        self._known.clear()
        self._over = True
        self.most = 0

    def _lasting(self, tensor):
        """What lives as long as the memory does. With torch 2.0 and 2.1, or where a tensor has several parts, the tensor."""
        if self._storages_live:
            try:
                return tensor.untyped_storage()
            except Exception:
                pass
        return tensor

    def _forget(self, storage):
        known = self._known

        def gone(_):
            known.pop(storage, None)

        return gone
