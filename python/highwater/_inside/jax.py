"""What JAX tells of its memory: its devices' counters, its live arrays, and what its compiled programs need. It tells nobody of its steps."""

import sys

from .._agent import agent
from .jax_programs import Programs
from .poll import poll

MOST_GROUPS = 20
_COUNTERS = (
    ("in_use", "bytes_in_use"),
    ("peak", "peak_bytes_in_use"),
    ("reserved", "bytes_reserved"),
    ("limit", "bytes_limit"),
)


def arm(jax):
    poll(Look(jax))


class Look:
    def __init__(self, jax):
        self._jax = jax
        self._said = False
        self._programs = Programs()

    def __call__(self):
        # Asking JAX for its devices would start it, with all of a GPU's memory.
        backends = getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None)
        if not backends:
            return None
        if not self._said:
            self._said = True
            text = "JAX tells nobody of its steps: iterations are those that the program prints or names"
            agent.send({"type": "warning", "text": text})
        values = {}
        for device in self._jax.local_devices():
            stats = device.memory_stats()  # None on a CPU
            for name, key in _COUNTERS:
                if stats and key in stats:
                    values["jax%d.%s" % (device.id, name)] = stats[key]
        groups = _groups(self._jax.live_arrays())
        values["jax.live"] = sum(row[6] for row in groups)
        values["jax.arrays"] = sum(row[5] for row in groups)
        try:
            values.update(self._programs.counters(list(backends.values())))
        except Exception:
            pass  # a version that tells nothing of its programs
        return values, groups[:MOST_GROUPS]


def _groups(arrays):
    """Rows [shape, dtype, device, what, holder, count, bytes], the largest first."""
    found = {}
    for array in arrays:
        try:
            if array.is_deleted():
                continue
            devices = sorted("%s:%d" % (one.platform, one.id) for one in array.devices())
            where = devices[0] if len(devices) == 1 else "%s and %d more" % (devices[0], len(devices) - 1)
            row = found.setdefault(
                (array.shape, array.dtype, where),
                [str(list(array.shape)), str(array.dtype), where, "", "", 0, 0],
            )
            row[5] += 1
            row[6] += array.nbytes
        except Exception:
            continue  # gone in between
    return sorted(found.values(), key=lambda row: -row[6])
