"""Sizes as people write them: 24MB is 10**6, 24MiB (and a bare m) 2**20."""

import re

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS[_letter] = _UNITS[_letter + "ib"] = 1024**_power


def parse_size(size):
    if isinstance(size, (int, float)) and not isinstance(size, bool) and size >= 0:
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", size, re.I) if isinstance(size, str) else None
    if match is None or match.group(2).lower() not in _UNITS:
        raise ValueError("%r is not a size: write it as 8GiB, 500MiB or 61.8MB" % (size,))
    return float(match.group(1)) * _UNITS[match.group(2).lower()]


def format_size(size):
    for unit in ("B", "KiB", "MiB"):
        if abs(size) < 1024:
            break
        size /= 1024
    else:
        unit = "GiB"
    return "%d B" % size if unit == "B" else "%.4g %s" % (size, unit)
