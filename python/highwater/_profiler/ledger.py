"""The book of what lives only within an iteration: saved tensors, layers' outputs, gradients on their way, their peaks.

Hooks append events, from any thread and also while an object dies, so that they must neither lock nor wait;
``settle`` reads the events in their order and does the sums. Knows nothing of torch.
"""

import threading
from collections import deque

from .peak import Peak

SAVE, GRADIENT, GRADIENTS, FLOW, FLOWN, OUTPUT, DROPPED = range(7)
# A loop that never asks for figures must not gather events for ever.
WAITING = 20_000


class Ledger:
    def __init__(self):
        # (SAVE, storage, bytes, layer, device), (GRADIENT, storage, bytes, layer), (FLOW, storage, bytes,
        # layer, backward pass), (FLOWN, storage), (GRADIENTS, {storage: bytes}): all there are, (OUTPUT, storage,
        # bytes, layer), (DROPPED, storage); a bare storage: one of its saved tensors is given back.
        self.events = deque()
        self._lock = threading.Lock()
        self._held = {}  # storage → [how many saved tensors, bytes, layer, device]
        self._flowing = {}  # storage → bytes
        self._pass = None  # the backward pass that the last of them belongs to
        self._outputs = {}  # storage → bytes
        self._loose = 0  # of those that are not saved, and live as long as the program holds them
        self._gradients = set()
        self.gradient_bytes = 0
        self.standing = {}  # what does not change within an iteration: kind → bytes
        self.saved = 0
        self.saved_by_layer = {}
        self.saved_on_device = {}
        self.restart()

    def restart(self):
        """Begins an iteration: what lives goes on living, what was most is forgotten."""
        self.most_saved = self.saved
        self.most_by_layer = dict(self.saved_by_layer)
        self._rising = False
        self._flowing.clear()
        self._flow = 0
        self._forget_used()
        self.most_flow = 0
        self.most_outputs = self._loose
        self.peak = Peak()

    def holds(self, storage):
        """Whether it is counted already."""
        return storage in self._held or storage in self._outputs

    def parts(self, maps=0, gradients=0):
        """What lives now, by kind, with maps and gradients that have just been used up."""
        return {
            **self.standing,
            "gradient": self.gradient_bytes,
            "feature_map": self.saved + maps,
            "intermediate_gradient": self._flow + gradients,
            "output": self._loose,
        }

    def set_gradients(self, storages):
        """The weight gradients that live now: {storage: bytes}."""
        self._gradients = set(storages)
        self.gradient_bytes = sum(storages.values())

    def settle(self):
        if not self._lock.acquire(False):
            return
        try:
            events = self.events
            while events:
                event = events.popleft()
                if type(event) is int:
                    self._give_back(event)
                elif event[0] == SAVE:
                    self._save(*event[1:])
                elif event[0] == FLOW:
                    self._flow_in(*event[1:])
                elif event[0] == FLOWN:
                    self._flow_out(event[1])
                elif event[0] == OUTPUT:
                    self._output(*event[1:])
                elif event[0] == DROPPED:
                    self._drop(event[1])
                elif event[0] == GRADIENTS:
                    self.set_gradients(event[1])
                else:
                    self._gradient(*event[1:])
            self._note_most()
        finally:
            self._lock.release()

    def _save(self, storage, size, layer, device):
        known = self._held.get(storage)
        if known is not None:
            known[0] += 1
            return
        self._held[storage] = [1, size, layer, device]
        self._used_maps = 0
        self._loose -= self._outputs.get(storage, 0)
        self.saved += size
        self.saved_by_layer[layer] = self.saved_by_layer.get(layer, 0) + size
        self.saved_on_device[device] = self.saved_on_device.get(device, 0) + size
        if self.saved > self.most_saved:
            self.most_saved = self.saved
            self._rising = True
        self._top(layer, "forward")

    def _give_back(self, storage):
        known = self._held.get(storage)
        if known is None:
            return
        known[0] -= 1
        if known[0] > 0:
            return
        self._note_most()
        del self._held[storage]
        _, size, layer, device = known
        self.saved -= size
        self._used_maps += size
        self.saved_by_layer[layer] -= size
        self.saved_on_device[device] -= size
        self._loose += self._outputs.get(storage, 0)

    def _note_most(self):
        # Copied only when the total turns, not at each of the steps up.
        if self._rising:
            self.most_by_layer = dict(self.saved_by_layer)
            self._rising = False

    def _gradient(self, storage, size, layer):
        if storage not in self._gradients:
            self._gradients.add(storage)
            self.gradient_bytes += size
            self._top(layer, "backward")

    def _output(self, storage, size, layer):
        if storage not in self._outputs:
            self._outputs[storage] = size
            if storage not in self._held:
                self._loose += size
                self.most_outputs = max(self.most_outputs, self._loose)
            self._top(layer, "forward")

    def _drop(self, storage):
        size = self._outputs.pop(storage, 0)
        if storage not in self._held:
            self._loose -= size

    def _flow_in(self, storage, size, layer, backward):
        if storage in self._flowing:
            return
        if backward != self._pass:
            # Of several passes, as when gradients accumulate, the last one's are not what this one's are made of.
            self._pass = backward
            self._forget_used()
        self._flowing[storage] = size
        self._flow += size
        # What was given back since the last one was still there while this one was made of it.
        self.most_flow = max(self.most_flow, self._flow + self._used_gradients)
        self._top(layer, "backward", self._used_maps, self._used_gradients)
        self._forget_used()

    def _flow_out(self, storage):
        size = self._flowing.pop(storage, 0)
        self._flow -= size
        self._used_gradients += size

    def _forget_used(self):
        self._used_maps = self._used_gradients = 0

    def _top(self, layer, phase, maps=0, gradients=0):
        known = self.saved + self.gradient_bytes + self._flow + self._loose + sum(self.standing.values())
        total = known + maps + gradients
        if total > self.peak.bytes:
            self.peak = Peak(total, layer, phase, self.parts(maps, gradients))

    def note(self, phase):
        """A moment at which nothing is on its way, such as the optimizer's step."""
        self._forget_used()
        self._top("", phase)
