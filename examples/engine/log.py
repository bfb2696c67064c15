"""The engine's own lines: a time, then what happened. README.md has their format."""

import time

NAMES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def say(text):
    print("INFO %s [engine] %s" % (time.strftime("%H:%M:%S"), text), flush=True)


def in_words(size):
    for unit, name in NAMES:
        if size >= unit:
            return "%.2f %s" % (size / unit, name)
    return "%d B" % size
