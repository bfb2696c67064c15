"""What NVIDIA's driver says that this process holds on a card, by its management library (NVML): it makes no context."""

import ctypes
import os

_ALL_ONES = (1 << 64) - 1  # "not available"
_MOST = 1024


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def held_by_us(torch, device, library="libnvidia-ml.so.1"):
    """Bytes of this process on torch's ``device``, its context included; None where the driver does not tell."""
    try:
        card = OwnMemory(torch, device, library)
    except Exception:
        return None  # an older torch, no such library, a card that is a part of one
    try:
        return card.read()
    finally:
        card.close()


class OwnMemory:
    """The same, read again and again: some 20 µs each, once the library is open."""

    def __init__(self, torch, device, library="libnvidia-ml.so.1"):
        uuid = str(torch.cuda.get_device_properties(device).uuid)
        self._nvml = ctypes.CDLL(library)
        if self._nvml.nvmlInit_v2() != 0:
            raise OSError("NVML does not start")
        name = uuid if uuid.startswith(("GPU-", "MIG-")) else "GPU-" + uuid
        self._handle = ctypes.c_void_p()
        if self._nvml.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(self._handle)) != 0:
            self.close()
            raise OSError("NVML does not know the card")
        self._rows = (_Process * _MOST)()

    def read(self):
        count = ctypes.c_uint(_MOST)
        if self._nvml.nvmlDeviceGetComputeRunningProcesses_v3(self._handle, ctypes.byref(count), self._rows) != 0:
            return None
        return _of_us([(row.pid, None if row.used == _ALL_ONES else row.used) for row in self._rows[: count.value]])

    def close(self):
        self._nvml.nvmlShutdown()


def _of_us(processes):
    ours = dict(processes).get(os.getpid())
    if ours is None and len(processes) == 1:
        # In a container the driver may have other numbers for us; but we have a context, and only one is there.
        ours = processes[0][1]
    return ours
