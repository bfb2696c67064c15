"""Sizes in the words of the original (Topographica's memuse): its MB and top's m are 1024² bytes."""

MIB = 1024**2


def top(size):
    """As top writes a size in four places: KiB without a letter, then m and g."""
    kib = size / 1024
    if kib < 9999.5:
        return "%d" % kib
    for unit, letter in ((MIB, "m"), (MIB * 1024, "g")):
        value = size / unit
        if value < 9.95:
            return "%.1f%s" % (value, letter)
        if value < 999.5:
            return "%d%s" % (value, letter)
    return "%.1ft" % (size / MIB / MIB)


def mb(size):
    """Whole ones, cut off."""
    return "%dMB" % (size // MIB)


def one_line(sizes):
    """``topsize:52m =? code + simsize:10MB + wtsize:15MB (25MB tot)``"""
    simsize, wtsize = sizes["simsize"], sizes["wtsize"]
    words = (top(sizes["topsize"]), mb(simsize), mb(wtsize), mb(simsize + wtsize))
    return "topsize:%s =? code + simsize:%s + wtsize:%s (%s tot)" % words


def sentence(connections, size):
    return "Defined %d-connection network; %0.0fMB required for weight storage." % (connections, max(size / MIB, 1.0))


def accounting(sizes):
    """What the original left to its reader, one statement a line."""
    topsize = sizes["topsize"]
    mapped, loaded = sizes["code"]["mapped"], sizes["code"]["loaded"]
    parts = ["%s of libraries and programs mapped" % mib(mapped)]
    if loaded is None:
        parts.append("what imports allocate was not measured")
    else:
        parts.append("%s that imports allocate" % mib(loaded))
    lines = ["code: %s (%s)" % (mib(mapped + (loaded or 0)), ", ".join(parts))]
    explained, optimisable = sizes["explained"], sizes["optimisable"]
    lines.append("explained: %s of %s (%s)" % (mib(explained), mib(topsize), share(explained, topsize)))
    lines.append(
        "could be optimised: %s (%s), all but code and arrays" % (mib(optimisable), share(optimisable, topsize))
    )
    rest = ", ".join("%s %s" % (name, mib(size)) for name, size in sizes["rest"])
    if rest:
        lines.append("the rest: %s" % rest)
    for device, size in sorted(sizes["devices"].items()):
        lines.append("on %s, not part of the process size: arrays %s" % (device, mib(size)))
    lines += sizes["notes"]
    return lines


def mib(size):
    sign = "-" if size < 0 else ""
    size = abs(size)
    return sign + ("%.1f MiB" % (size / MIB) if size < 99.95 * MIB else "%.0f MiB" % (size / MIB))


def share(part, whole):
    return "%.0f %%" % (100.0 * part / whole) if whole else "–"
