"""The figures that only an iteration that is followed layer by layer can give."""


class Detail:
    __slots__ = (
        *("epoch", "iteration", "feature_maps", "by_layer", "intermediate_gradients", "inputs", "outputs", "peak"),
        "without_gradients",  # the model was called, but never for a backward pass
    )

    def __init__(self, epoch, iteration, tracker, counters, without_gradients=False):
        ledger = tracker.ledger
        self.epoch = epoch
        self.iteration = iteration
        self.feature_maps = ledger.most_saved
        self.by_layer = ledger.most_by_layer
        self.intermediate_gradients = ledger.most_flow
        self.inputs = tracker.inputs.most
        self.outputs = ledger.most_outputs
        # A GPU's allocator knows what no hook sees.
        self.peak = counters.peak if counters.peak.bytes else ledger.peak
        self.without_gradients = without_gradients
