"""Hooks on tensors: which gradients are there. Whatever goes wrong in one must not end a training."""


class Flow:
    """A hook on a layer's output: its gradient has been made."""

    __slots__ = ("tracker", "layer")

    def __init__(self, tracker, layer):
        self.tracker = tracker
        self.layer = layer

    def __call__(self, gradient):
        try:
            self.tracker.flowed(self.layer, gradient)
        except Exception:
            pass


class Accumulated(Flow):
    """A hook on a weight: its gradient is there."""

    __slots__ = ()

    def __call__(self, parameter):
        try:
            self.tracker.accumulated(self.layer, parameter)
        except Exception:
            pass
