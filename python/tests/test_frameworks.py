"""What is told of JAX and Keras, by stand-ins for what they offer."""

import sys
import types
import unittest

import beside  # noqa: F401

from highwater import _gauges
from highwater._inside import jax as _jax
from highwater._inside import jax_programs as _jax_programs
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

    def programs(self, *each):
        """A backend with programs of so many bytes: arguments, outputs, temporaries, aliased."""
        return types.SimpleNamespace(
            live_executables=lambda: [
                types.SimpleNamespace(
                    fingerprint=name.encode(),
                    hlo_modules=lambda name=name: [types.SimpleNamespace(name=name)],
                    get_compiled_memory_stats=lambda sizes=sizes: types.SimpleNamespace(
                        argument_size_in_bytes=sizes[0],
                        output_size_in_bytes=sizes[1],
                        temp_size_in_bytes=sizes[2],
                        alias_size_in_bytes=sizes[3],
                        generated_code_size_in_bytes=0,
                    ),
                )
                for name, sizes in each
            ]
        )

    def test_tells_what_compiled_programs_need_and_names_the_largest_once(self):
        said = []
        real = _jax_programs.agent
        _jax_programs.agent = types.SimpleNamespace(send=said.append)
        self.addCleanup(setattr, _jax_programs, "agent", real)
        programs = _jax_programs.Programs()
        first = self.programs(("jit_init", (0, 4096, 0, 0)), ("jit_step", (2 << 20, 2 << 20, 4 << 20, 1 << 20)))
        counters = {"jax.programs": 2, "jax.program_temporaries": 4 << 20, "jax.program_needs": 7 << 20}
        self.assertEqual(programs.counters([first]), counters)
        self.assertEqual(programs.counters([first]), counters)
        self.assertEqual(
            [mark["name"] for mark in said],
            [
                "JAX compiled jit_step: needs 7.00 MiB (arguments 2.00 MiB, outputs 2.00 MiB, temporaries 4.00 MiB, "
                "1.00 MiB of them in place of arguments)"
            ],
        )
        # One that is gone counts no more; a smaller one is not worth a note.
        counters = {"jax.programs": 1, "jax.program_temporaries": 0, "jax.program_needs": 4096}
        self.assertEqual(programs.counters([self.programs(("jit_init", (0, 4096, 0, 0)))]), counters)
        self.assertEqual(len(said), 1)

    def test_tells_nothing_of_programs_where_the_backend_answers_with_zeros(self):
        self.assertEqual(_jax_programs.Programs().counters([self.programs(("jit_step", (0, 0, 0, 0)))]), {})

    def test_is_never_started(self):
        self.assertIsNone(self.look(started=False))

    def test_tells_counters_where_a_device_has_some_and_arrays_by_shape(self):
        values, rows = self.look(started=True)
        counters = {"jax1.in_use": 70, "jax1.peak": 90, "jax1.limit": 100, "jax.live": 84, "jax.arrays": 3}
        self.assertEqual(values, counters)
        self.assertEqual(rows[0], ["[2, 3]", "float32", "gpu:1", "", "", 2, 48])


class Torch(unittest.TestCase):
    """Devices of torch by stand-ins: no AMD and no Intel card was at hand."""

    def device(self, stats, initialized=True):
        return types.SimpleNamespace(
            is_initialized=lambda: initialized,
            device_count=lambda: len(stats),
            memory_stats_as_nested_dict=lambda device: stats[device],
        )

    def read(self, **kinds):
        values = {}
        _gauges.devices(types.SimpleNamespace(**kinds), values)
        return values

    def test_tells_the_counters_of_xpu_which_has_fewer(self):
        # As torch.xpu.memory_stats of torch 2.11 documents them: no retries, no out-of-memory count, no splits.
        used = {"current": 5, "peak": 9, "allocated": 20, "freed": 15}
        keys = ("allocated_bytes", "reserved_bytes", "active_bytes", "requested_bytes")
        xpu = self.device([{}, {key: {"all": used} for key in keys}])
        told = {"torch1.allocated": 5, "torch1.reserved": 5, "torch1.active": 5, "torch1.requested": 5, "torch1.peak": 9}
        self.assertEqual(self.read(xpu=xpu, cuda=self.device([], initialized=False)), told)
        self.assertEqual(self.read(xpu=xpu), told)

    def test_starts_nothing(self):
        asleep = self.device([{"reserved_bytes": {"all": {"peak": 1}}}], initialized=False)
        self.assertEqual(self.read(cuda=asleep, xpu=asleep), {})
        self.assertEqual(self.read(), {})


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
