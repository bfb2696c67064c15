"""Torch's own peak on each card, and whether it is known what held it.

Torch tells how high its peak was, not when nor of what. The history of the allocator tells both, where it was kept at that moment: so
a snapshot of it is written when it is about to rest, before its ring has lost the peak, and at the end of the
program. Where a peak came while the history rested, the history is kept again, in windows that become rarer,
until one of them has seen a peak as high.
"""

import os

from .allocator_snapshot import folder, write_aside

# A peak is a new one from here on, and is seen by a window that comes as near as this: a trace counts what was asked for, torch what it gave.
CLEARLY = 1.02
AS_HIGH = 0.95
LEAST = 1 << 20
# A ring that has so much of it written anew may lose the peak.
RING_SHARE = 0.6
# The pause of a fork is a share of the time since the last one, at most; there are so many in all.
FORK_SHARE = 500
MOST_FORKS = 30


class Peaks:
    def __init__(self, entries):
        self._entries = entries  # of the ring
        self.seen = {}  # by device: the highest that torch told
        self.shown = {}  # by device: the highest that a snapshot holds
        self._child = None  # that writes
        self._forks = 0
        self._next = 0.0
        self._kept_since = {}  # by device: what was the highest when the history was switched on
        self._risen_at = 0  # entries of the history when a rise was first seen, less those of the look before

    def look(self, devices):
        """``devices``: (device, peak) as torch has them now; those of them that are clearly above all before."""
        risen = []
        for device, peak in devices:
            if peak > self.seen.get(device, 0) * CLEARLY + LEAST:
                risen.append(device)
            self.seen[device] = max(peak, self.seen.get(device, 0))
        return risen

    def switched_on(self):
        self._kept_since = dict(self.seen)
        self._risen_at = 0

    @property
    def unknown(self):
        """A peak of which no snapshot tells what held it."""
        return any(self._is_unknown(device) for device in self.seen)

    @property
    def within(self):
        """Whether the history that is kept now has seen such a peak, by torch's own counter."""
        return any(
            self._is_unknown(device) and peak > self._kept_since.get(device, 0) for device, peak in self.seen.items()
        )

    def is_slipping(self, written, before):
        """Whether the ring may soon lose it: ``written`` entries so far, ``before`` at the look before this one."""
        if not self.within:
            self._risen_at = 0
            return False
        self._risen_at = self._risen_at or max(1, before)
        return written - self._risen_at > self._entries * RING_SHARE

    def capture(self, torch, now, last=False):
        """In the program's main thread, while the history is kept: what held the peak goes into the recording's folder."""
        self.collect()
        if self._child is not None or not folder() or not (last or (now >= self._next and self._forks < MOST_FORKS)):
            return
        unknown = [device for device in self.seen if self._is_unknown(device)]
        if not unknown:
            return
        facts = {"why": "peak", "device": max(unknown, key=self.seen.get)}
        name = "peak-%d.pickle" % os.getpid()

        def amend(snapshot):
            reached = {device: peak_of(snapshot, device) for device in unknown}
            new = any(reached[device] > self.shown.get(device, 0) * CLEARLY for device in unknown)
            return name if new else None, facts, {"reached": list(reached.items())}

        self._forks += 1
        self._child = write_aside(torch, amend)
        if self._child is None:
            self.covered()
        else:
            self._next = now + self._child.pause_ms / 1000 * FORK_SHARE
            if last:
                self._child.close()

    def collect(self):
        """What the fork has found, where it is done."""
        if self._child is None or not self._child.done():
            return
        try:
            for device, reached in self._child.wait()["reached"]:
                seen = self.seen[device]
                known = seen if reached >= seen * AS_HIGH else reached
                self.shown[device] = max(known, self.shown.get(device, 0))
        except (RuntimeError, KeyError):
            pass
        self._child = None

    def covered(self):
        """A snapshot was taken for another reason."""
        self.shown.update(self.seen)

    def _is_unknown(self, device):
        return self.seen[device] > self.shown.get(device, 0) * CLEARLY + LEAST


def peak_of(snapshot, device):
    """The most that was in use at any moment of the device's history: what is in use now, and back from there."""
    live = sum(
        block["size"]
        for segment in snapshot["segments"]
        if segment.get("device", device) == device
        for block in segment["blocks"]
        if block["state"] != "inactive"
    )
    traces = snapshot["device_traces"]
    highest = live
    for entry in reversed(traces[device] if device < len(traces) else ()):
        if entry["action"] == "alloc":
            live -= entry["size"]
        elif entry["action"] == "free_completed":
            live += entry["size"]
            highest = max(highest, live)
    return highest
