"""What this process holds on its cards outside torch's allocator, and when it came.

The driver's figure of the process less what torch has reserved. It is read when torch first allocates (all of it is the context
then), before and after what takes such memory in one go (takers.py), and between these while it grows: kernels, which are loaded
when they are first used, and libraries. A reading takes some 20 µs and makes no context.
"""

import _thread
import os
import time

from .._agent import agent
from .._running import message
from .driver import OwnMemory

# Between two looks of the thread: until a context comes, until torch first allocates there, and while it grows.
IDLE_SECONDS = 0.02
COMING_SECONDS = 0.001
GROWING_SECONDS = 0.01
# A context that waits so long for its first allocation is looked at as rarely as before.
COMING_FOR = 2.0
# After so long without growth the thread is done; further growth is seen at the looks that counters are read at.
CALM_SECONDS = 5.0
# What comes in one look is told with the line that ran from here on, so many times.
WORTH = 4 << 20
MOST_TOLD = 64
# The two figures are of one moment where the driver's is the same before and after; so often is it tried.
TRIES = 3


class Outside:
    def __init__(self):
        self._torch = None
        self._open = OwnMemory
        self._pid = None
        self._cards = {}
        self._window = None  # (what takes, its card, what was held before)
        self._told = 0
        self._lock = _thread.allocate_lock()

    def begin(self, torch):
        """CUDA is started."""
        if self._pid == os.getpid():
            return
        self._torch, self._pid = torch, os.getpid()
        self._cards, self._window, self._lock = {}, None, _thread.allocate_lock()
        self._has_context = getattr(torch._C, "_cuda_hasPrimaryContext", None)
        if self._has_context is not None:
            _thread.start_new_thread(self._run, ())

    def counters(self):
        """What is outside now, of each card that is known."""
        if self._pid != os.getpid():
            return {}
        values = {}
        with self._lock:
            for card in self._cards.values() if self._window is None else ():
                held = None if card.own is None else self._look(card)
                if held is not None:
                    values["outside%d.held" % card.device] = held
        return values

    def before(self, what):
        """``what`` ("graphs", "nccl") is about to take memory on the card that this thread works with; whether `after` is to be called."""
        if self._pid != os.getpid() or not self._torch.cuda.is_initialized():
            return False
        with self._lock:
            card = None if self._window is not None else self._card(self._torch.cuda.current_device())
            held = None if card is None else self._look(card)
            if held is None:
                return False  # no context yet: what comes is not told from it
            if card.context is None:
                self._know(card, held)
            self._window = (what, card, held)
            return True

    def after(self):
        with self._lock:
            (what, card, before), self._window = self._window, None
            held = self._held(card)
            if held is not None:
                card.parts[what] = card.parts.get(what, 0) + held - before
                card.held = held
                self._tell(card, {what: max(0, card.parts[what])})

    # The thread.

    def _run(self):
        try:
            while True:
                with self._lock:
                    pause = self._turn(time.monotonic())
                if pause is None:
                    return
                time.sleep(pause)
        except Exception:
            pass  # a driver that tells nothing, or a process that ends

    def _turn(self, now):
        """Seconds until the next; None: no more."""
        pause, calm = IDLE_SECONDS, bool(self._cards)
        for device in range(self._torch.cuda.device_count()):
            card = self._card(device)
            if card is None:
                continue
            if card.context is None:
                self._await(card)
                pause = COMING_SECONDS if now - card.since < COMING_FOR else pause
                calm = False
            elif self._window is None:
                held = card.held
                if (self._look(card) or 0) > held:
                    card.since = now
                if now - card.since < CALM_SECONDS:
                    pause, calm = min(pause, GROWING_SECONDS), False
        return None if calm else pause

    def _card(self, device):
        """None: this process has no context there, or the driver does not tell what is ours."""
        if device not in self._cards:
            if not self._has_context(device):
                return None
            self._cards[device] = _Card(device, self._own(device), time.monotonic())
        card = self._cards[device]
        return None if card.own is None else card

    def _own(self, device):
        try:
            return self._open(self._torch, device)
        except Exception:
            return None

    def _await(self, card):
        if self._reserved(card.device) > 0:
            held = self._held(card)
            if held is not None and self._window is None and card.context is None:
                self._know(card, held)

    def _know(self, card, held):
        card.context = card.held = held
        self._tell(card, {"context": held})

    def _look(self, card):
        """What is outside; what came since the last look, without being taken by anything that we are told of, is told with its line."""
        held = self._held(card)
        if held is None or card.context is None:
            return held
        grown, card.held = held - card.held, held
        if grown >= WORTH and self._told < MOST_TOLD:
            self._told += 1
            now = self._tell(card, {"grown": grown})
            agent.send(message(now, "outside%d" % card.device))
        return held

    def _held(self, card):
        for _ in range(TRIES):
            driver = card.own.read()
            if driver is None:
                return None
            held = driver - self._reserved(card.device)
            if driver == card.own.read() and held >= 0:
                return held
        return None

    def _reserved(self, device):
        stats = self._torch.cuda.memory_stats_as_nested_dict(device).get("reserved_bytes")
        return stats["all"]["current"] if stats else 0

    def _tell(self, card, values):
        now = time.monotonic_ns()
        values = {**values, "held": card.held}
        agent.send(
            {
                "type": "counters",
                "time": now,
                "values": {"outside%d.%s" % (card.device, name): value for name, value in values.items()},
            }
        )
        return now


class _Card:
    def __init__(self, device, own, since):
        self.device = device
        self.own = own
        self.since = since  # when it was found, or last grew
        self.context = None
        self.held = 0
        self.parts = {}  # bytes by what took them


outside = Outside()


def watch(torch):
    """Waits for CUDA to be started."""
    if hasattr(torch.cuda, "_lazy_call"):
        torch.cuda._lazy_call(lambda: _quietly(outside.begin, torch))


def _quietly(call, *args):
    try:
        return call(*args)
    except Exception:
        return None
