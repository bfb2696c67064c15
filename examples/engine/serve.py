"""Brings requests to the engine when they arrive, and puts it to sleep between them."""

import time

from log import say

STATS_SECONDS = 1.0


class Serving:
    def __init__(self, options, engine, source):
        self._options = options
        self._engine = engine
        self._source = iter(source)
        self._next = next(self._source, None)
        self._finished = 0
        self._slept_at = 0
        self._began = self._told = time.monotonic()
        self._told_tokens = 0
        self.kept = []  # each second: nanoseconds of Unix, and bytes of what is kept of sessions

    def run(self, done):
        """Until all requests are done; ``done`` is called with each."""
        engine = self._engine
        while self._next is not None or engine.scheduler.busy:
            if self._wants_sleep() and not engine.scheduler.busy:
                self._sleep()
            self._arrive()
            for request in engine.step():
                self._finished += 1
                if self._options.log_requests:
                    say("Finished request %s: %d tokens" % (request.name, len(request.answer)))
                done(request)
            self._tell_stats()
        self._note_kept()
        return time.monotonic() - self._began

    def _arrive(self):
        """Where sleep is due, what comes waits until what runs is done."""
        while self._next is not None and self._next.arrives <= self._engine.steps and not self._wants_sleep():
            if self._options.log_requests:
                say("Received request %s: prompt %d tokens, answer %d" % (self._next.name, len(self._next.prompt), self._next.answer_length))
            self._engine.add(self._next)
            self._next = next(self._source, None)

    def _wants_sleep(self):
        every = self._options.sleep_every
        return every is not None and self._finished - self._slept_at >= every

    def _sleep(self):
        self._engine.sleep(self._options.sleep_level)
        time.sleep(self._options.sleep_seconds)
        self._engine.wake()
        self._slept_at = self._finished

    def _tell_stats(self):
        now, engine = time.monotonic(), self._engine
        if now - self._told < STATS_SECONDS:
            return
        rate = (engine.answer_tokens - self._told_tokens) / (now - self._told)
        self._told, self._told_tokens = now, engine.answer_tokens
        self._note_kept()
        running, waiting = len(engine.scheduler.running), len(engine.scheduler.waiting)
        say("stats: running %d, waiting %d, KV pool %.1f %% used, %.1f tokens/s" % (running, waiting, 100 * engine.cache.usage, rate))

    def _note_kept(self):
        self.kept.append((time.time_ns(), self._engine.sessions.bytes))
