"""The figures of one iteration: plain data, in bytes; None is not measured."""


class Snapshot:
    __slots__ = (
        "epoch",
        "iteration",
        "detail_epoch",  # when feature maps, intermediate gradients, inputs and the peak were followed:
        "detail_iteration",  # in this iteration, or in an earlier one with the same calls of the model
        "rows",  # kind → {name: bytes}: weight, gradient, buffer, optimizer, feature_map
        "live",  # kind → bytes that live at the moment of measuring, on the model's own device
        "feature_maps",
        "intermediate_gradients",
        "inputs",
        "outputs",  # of layers, that nobody but the program holds
        "without_gradients",  # so that there are no feature maps, and outputs live for as long as they are used
        "cached",
        "peak_cached",
        "allocated",
        "peak_allocated",
        "resident",
        "peak_resident",
        "peak",  # Peak
        "device",
        "shared",  # [(name, name of the first)]
    )

    def total(self, kind):
        return sum(self.rows[kind].values())

    def since(self):
        """Where its feature maps are from, if not from this iteration."""
        if (self.detail_epoch, self.detail_iteration) == (self.epoch, self.iteration):
            return None
        where = "iteration %d" % self.detail_iteration
        return where if self.detail_epoch == self.epoch else where + " of epoch %d" % self.detail_epoch

    def totals(self):
        """The single figures by the names that the CSV and ``stats()`` give them."""
        return {
            "peak_cached": self.peak_cached,
            "current_cached": self.cached,
            "total_feature_map_usage": self.feature_maps,
            "total_weight_usage": self.total("weight"),
            "total_layer_weight_gradient_usage": self.total("gradient"),
            "intermediate_gradients": self.intermediate_gradients,
            "total_buffer_usage": self.total("buffer"),
            "total_optimizer_state_usage": self.total("optimizer"),
            "model_inputs": self.inputs,
            "layer_outputs": self.outputs,
            "current_allocated": self.allocated,
            "peak_allocated": self.peak_allocated,
            "peak": self.peak.bytes,
            "current_resident": self.resident,
            "peak_resident": self.peak_resident,
        }
