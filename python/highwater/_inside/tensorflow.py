"""What TensorFlow tells of its memory: counters of its GPUs. Of what lives on the CPU it keeps none."""

import sys

from .poll import poll


def arm(tensorflow):
    poll(lambda: _look(tensorflow))


def _look(tensorflow):
    context = getattr(sys.modules.get("tensorflow.python.eager.context"), "_context", None)
    # Asking TensorFlow for its devices would start it.
    if context is None or not getattr(context, "_initialized", False):
        return None
    values = {}
    for number, device in enumerate(tensorflow.config.list_logical_devices("GPU")):
        told = tensorflow.config.experimental.get_memory_info(device.name)
        values["tf%d.in_use" % number] = told["current"]
        values["tf%d.peak" % number] = told["peak"]
    return (values, []) if values else None
