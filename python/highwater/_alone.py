"""The size of this process, for when nobody looks on from outside."""

import time


def size_message():
    """A `counters` message; empty where the system does not tell."""
    values = {}
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    values["process.hwm"] = int(line.split()[1]) * 1024
                elif line.startswith(b"VmRSS:"):
                    values["process.rss"] = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return {"type": "counters", "time": time.monotonic_ns(), "values": values}
