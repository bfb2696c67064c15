"""Continuous batching: which requests run in a step, and which has to give its blocks back."""

from collections import deque


class Scheduler:
    def __init__(self, cache, batch):
        self._cache = cache
        self._batch = batch
        self.waiting = deque()
        self.running = []
        self.preemptions = 0

    @property
    def busy(self):
        return bool(self.waiting or self.running)

    def add(self, request):
        self.waiting.append(request)

    def admit(self):
        """The next request that there is room for, with blocks for its tokens and one more; None: none now."""
        if not self.waiting or len(self.running) >= self._batch:
            return None
        request = self.waiting[0]
        if not self._cache.grow(request.table, len(request.tokens) + 1):
            if not self.running:
                raise MemoryError("%s has %d tokens, more than the whole KV pool: give more --kv" % (request.name, len(request.tokens)))
            return None
        self.running.append(self.waiting.popleft())
        return request

    def make_room(self):
        """Blocks for one more token of each that runs; the newest ones wait again where there are none."""
        for request in list(self.running):
            while request in self.running and not self._cache.grow(request.table, len(request.tokens)):
                self._preempt(self.running[-1])

    def _preempt(self, request):
        """It is computed anew from its first token on when it comes back."""
        if len(self.running) == 1:
            raise MemoryError("%s alone does not fit the KV pool: give more --kv" % request.name)
        self.running.remove(request)
        self._cache.release(request.table)
        request.done = 0
        self.waiting.appendleft(request)
        self.preemptions += 1

    def take_finished(self):
        finished = [request for request in self.running if request.finished]
        self.running = [request for request in self.running if not request.finished]
        return finished
