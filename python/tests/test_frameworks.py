"""What is told of JAX and Keras, by stand-ins for what they offer."""

import sys
import types
import unittest

import beside  # noqa: F401

from highwater._inside import jax as _jax
from highwater._inside import keras as _keras


class Array:
    """As JAX's, as far as it is asked."""

    def __init__(self, shape, size, gone=False):
        self.shape, self.dtype, self.nbytes, self._gone = shape, "float32", size, gone

    def is_deleted(self):
        return self._gone

    def devices(self):
        return [types.SimpleNamespace(platform="gpu", id=1)]


class Jax(unittest.TestCase):
    def look(self, started):
        stats = {"bytes_in_use": 70, "peak_bytes_in_use": 90, "bytes_limit": 100}
        devices = [types.SimpleNamespace(id=1, memory_stats=lambda: stats)]
        devices.append(types.SimpleNamespace(id=2, memory_stats=lambda: None))
        arrays = [Array((2, 3), 24), Array((2, 3), 24), Array((9,), 36), Array((9,), 36, gone=True)]
        fake = types.SimpleNamespace(local_devices=lambda: devices, live_arrays=lambda: arrays)
        bridge = types.ModuleType("jax._src.xla_bridge")
        bridge._backends = {"gpu": object()} if started else {}
        name = "jax._src.xla_bridge"
        before = sys.modules.get(name)
        sys.modules[name] = bridge
        try:
            return _jax.Look(fake)()
        finally:
            sys.modules.pop(name) if before is None else sys.modules.__setitem__(name, before)

    def test_is_never_started(self):
        self.assertIsNone(self.look(started=False))

    def test_tells_counters_where_a_device_has_some_and_arrays_by_shape(self):
        values, rows = self.look(started=True)
        counters = {"jax1.in_use": 70, "jax1.peak": 90, "jax1.limit": 100, "jax.live": 84, "jax.arrays": 3}
        self.assertEqual(values, counters)
        self.assertEqual(rows[0], ["[2, 3]", "float32", "gpu:1", "", "", 2, 48])


class Keras(unittest.TestCase):
    def setUp(self):
        self.said = []
        real = _keras.agent
        _keras.agent = types.SimpleNamespace(send=self.said.append)
        self.addCleanup(setattr, _keras, "agent", real)

    def test_counts_batches_of_fit_and_what_a_loop_applies_itself(self):
        steps = _keras.KerasSteps()
        steps.fit(True)
        steps.applied()  # part of a batch
        steps.step()
        steps.fit(False)
        steps.applied()
        self.assertEqual(steps.count, 2)
        self.assertEqual(self.said[0]["kind"], "step")


if __name__ == "__main__":
    sys.exit(unittest.main())
