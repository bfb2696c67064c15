"""The calls of a model within an iteration: with the same calls, layers save the same bytes."""

from .._storage import tensors_in

# Of a loop that calls the model for ever without an end of its iteration.
MOST = 64
# Of a data set in which hardly two batches have the same shape: so many are kept and compared.
KEPT = 16
# So many new ones are followed at once, whatever it costs.
NEW = 8


def call_of(torch, layer, module, args, kwargs):
    """What decides how much a call saves: (with gradients, layer, mode, shapes), and the bytes of its inputs."""
    shapes, size = [], 0
    for tensor in tensors_in((args, kwargs) if kwargs else args, torch):
        shapes.append((tensor.shape, tensor.dtype, tensor.requires_grad))
        size += tensor.numel() * tensor.element_size()
    autocast = getattr(torch._C, "_is_any_autocast_enabled", torch.is_autocast_enabled)()
    return (torch.is_grad_enabled(), layer, module.training, autocast, tuple(shapes)), size


class Calls:
    """Those of the running iteration, and the figures of iterations that had the same."""

    def __init__(self):
        self._details = {}  # calls → figures of the last iteration that was followed
        self._latest = None
        self._largest = 0
        self._new = 0
        self.restart()

    def restart(self):
        self._saving = []
        self._others = set()  # without gradients nothing is saved, however often
        self._size = 0

    def add(self, call, size):
        if not call[0]:
            self._others.add(call)
        elif len(self._saving) < MOST:
            self._saving.append(call)
        self._size = max(self._size, size)

    def first(self):
        """Whether nothing was saved before the last call."""
        return len(self._saving) <= 1

    def without_gradients(self):
        """Whether autograd had nothing to keep."""
        return bool(self._others) and not self._saving

    def known(self):
        """Whether an iteration that was followed began like this."""
        count = len(self._saving)
        return any(
            list(saving[:count]) == self._saving and self._others <= others for saving, others in self._details
        )

    def worth_following(self):
        """New calls are, if there are not too many of them, or if they are the largest so far."""
        if self._new >= NEW and self._size <= self._largest:
            return False
        self._new += 1
        return True

    def keep(self, figures):
        """This iteration was followed from its beginning."""
        key = self._key()
        self._details.pop(key, None)
        self._details[key] = self._latest = figures
        self._largest = max(self._largest, self._size)
        if len(self._details) > KEPT:
            del self._details[next(iter(self._details))]

    def figures(self):
        """Those of the last iteration with the same calls, or of the last one; and whether it is the same."""
        found = self._details.get(self._key())
        return (self._latest, False) if found is None else (found, True)

    def _key(self):
        return tuple(self._saving), frozenset(self._others)
