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
        uuid = str(torch.cuda.get_device_properties(device).uuid)
        nvml = ctypes.CDLL(library)
        if nvml.nvmlInit_v2() != 0:
            return None
        try:
            return _of_us(_processes(nvml, uuid))
        finally:
            nvml.nvmlShutdown()
    except Exception:
        return None  # an older torch, no such library, a card that is a part of one


def _processes(nvml, uuid):
    """Pairs (pid, bytes) of those with a context on the card."""
    handle = ctypes.c_void_p()
    name = uuid if uuid.startswith(("GPU-", "MIG-")) else "GPU-" + uuid
    if nvml.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(handle)) != 0:
        return []
    count = ctypes.c_uint(_MOST)
    rows = (_Process * _MOST)()
    if nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), rows) != 0:
        return []
    return [(row.pid, None if row.used == _ALL_ONES else row.used) for row in rows[: count.value]]


def _of_us(processes):
    ours = dict(processes).get(os.getpid())
    if ours is None and len(processes) == 1:
        # In a container the driver may have other numbers for us; but we have a context, and only one is there.
        ours = processes[0][1]
    return ours
