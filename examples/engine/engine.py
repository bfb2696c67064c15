"""The engine: takes requests, runs them a step at a time, sleeps and wakes. Each step brings every running request one token further."""

from dataclasses import asdict

import torch

import model as transformer
from device import Device
from graphs import Graphs, usual_sizes
from kv_cache import KvCache, block_bytes
from log import in_words, say
from plan import Plan, activations
from runner import Runner
from scheduler import Scheduler
from sessions import SessionCache
from staging import Staging

KV_POOL = 4 << 20


class Engine:
    def __init__(self, options):
        self._options = options
        self._faults = set(options.fault)
        self.device = device = Device(options.device, options.dtype)
        outside = device.outside()
        self._model = transformer.make(options, device.name, device.dtype)
        self._width = -(-options.context // options.block)
        self.plan = self._make_plan(outside)
        self.plan.tell()
        self.cache = KvCache(options, self.plan.kv_pool // block_bytes(options, device.dtype), device.name, device.dtype)
        self._forgotten = self._forget()
        self._runner = self._runner_on(self.cache)
        self.graph_bytes = 0
        self._graphs = self._make_graphs()
        self._left = []  # what earlier sleeps left behind, where that is planted
        self.scheduler = Scheduler(self.cache, options.batch)
        self.sessions = SessionCache(options.sessions_kept, evicts="session-cache" not in self._faults)
        doubles = "staging-doubles" in self._faults
        self.staging = Staging(device.is_card, rewinds=not doubles, most=options.staging_most if doubles else None)
        self.steps = self.prompt_tokens = self.answer_tokens = 0
        self.sleeps = []  # of each sleep, what was still held

    def add(self, request):
        if len(request.prompt) + request.answer_length > self._options.context:
            raise ValueError("%s has more tokens than --context %d" % (request.name, self._options.context))
        self.scheduler.add(request)

    @torch.inference_mode()
    def step(self):
        """Returns the requests that are done."""
        self.steps += 1
        fresh = set()
        while (request := self.scheduler.admit()) is not None:
            fresh.add(request.number)
            self._begin(request)
        self.scheduler.make_room()
        others = [request for request in self.scheduler.running if request.number not in fresh and not request.finished]
        if others:
            self._take(others, self._decode(others))
        self.staging.step_ends()
        finished = self.scheduler.take_finished()
        for request in finished:
            self.sessions.keep(request, self.cache.read(request.table, len(request.prompt)))
            self.cache.release(request.table)
        return finished

    def sleep(self, level):
        """1: weights go to the host, where they are already without a card; 2: they are dropped. The KV pool goes, with what was kept of sessions."""
        before = self.held()
        if "sleep-keeps" not in self._faults:
            self.sessions.clear()
            self.cache.drop()
            # Graphs have the addresses of what goes: they are captured again.
            captured = self._graphs.drop() if self._graphs else {}
            if "sleep-leaks" in self._faults:
                self._left.append(captured or torch.zeros(self._options.forgotten, dtype=torch.uint8, device=self.device.name))
            del captured
            self._model.to("cpu" if level == 1 else "meta")
            self.device.release()
        held = self.held()
        self.sleeps.append({"before": before, "asleep": held, "parts": self.parts(), **self.device.counters()})
        say("asleep: level %d, freed %d bytes, holds %d bytes (%s)" % (level, before - held, held, in_words(held)))

    def wake(self):
        self._wake_weights()
        if self.cache.pool is None:
            self.cache.fill()
        if self._graphs is not None and len(self._graphs) == 0:
            self._capture(self._graphs)
        held = self.held()
        say("awake: holds %d bytes (%s)" % (held, in_words(held)))

    def held(self):
        """Bytes on the device: torch's own figure, or without a card the sum of the parts."""
        return self.device.allocated() if self.device.is_card else sum(self.parts().values())

    def parts(self):
        """Bytes of what can be told apart by its tensors; graphs' pools are not among them."""
        on_device = [one for one in self._model.parameters() if one.device.type == torch.device(self.device.name).type]
        return {
            "weights": sum(one.nbytes for one in on_device),
            "kv_pool": self.cache.bytes,
            "session_cache": self.sessions.bytes,
            "forgotten": 0 if self._forgotten is None else self._forgotten.nbytes,
            "left_behind": sum(one.nbytes for one in self._left if torch.is_tensor(one)),
        }

    def _begin(self, request):
        kept = self.sessions.find(request)
        if kept is not None:
            self.cache.write(request.table, kept)
            request.done = kept.shape[2]
        self.prompt_tokens += len(request.tokens) - request.done
        self._take([request], self._runner.prefill(request))

    def _decode(self, requests):
        inputs = self._runner.inputs(requests)
        return self._graphs.run(*inputs) if self._graphs else self._runner.decode(*inputs)

    def _take(self, requests, logits):
        """The likeliest token of each row is its answer's next one."""
        if self._options.logprobs:
            self.staging.to_host(logits.float())
        for request, token in zip(requests, logits.argmax(-1).tolist()):
            request.answer.append(token)
        self.answer_tokens += len(requests)

    def _make_plan(self, outside):
        """As an engine does: the weights are there, the largest passes are tried, and the rest is the KV pool's."""
        options, device = self._options, self.device
        weights = sum(one.nbytes for one in self._model.parameters())
        trial = KvCache(options, 1 + self._width, device.name, device.dtype)
        runner = self._runner_on(trial)
        with torch.inference_mode():
            runner.largest(options)  # once before, so that libraries have loaded what they need
            needed = device.peak_of(lambda: runner.largest(options))
            graphs = self._graphs_take(runner)
        del trial, runner
        device.release()
        other = device.outside() if device.is_card else outside
        plan = Plan(weights, options.kv or KV_POOL, needed or activations(options, device.dtype), graphs, other)
        if options.utilization is not None and device.is_card:
            rest = int(device.total() * options.utilization) - (plan.total - plan.kv_pool)
            plan.kv_pool = options.kv or max(rest, 0)
        block = block_bytes(options, device.dtype)
        plan.kv_pool -= plan.kv_pool % block
        if plan.kv_pool < (1 + self._width) * block:
            raise MemoryError("a KV pool of %s does not hold one request of --context %d tokens" % (in_words(plan.kv_pool), options.context))
        return plan

    def _graphs_take(self, runner):
        """Bytes of the usual graphs, which are captured to find out, and dropped."""
        if not self._captures:
            return 0
        trial = Graphs(runner.decode, usual_sizes(self._options.batch), self._width, self.device.name, share_pool=True)
        return self._capture(trial)

    @property
    def _captures(self):
        return self.device.is_card and not self._options.no_graphs

    def _make_graphs(self):
        if not self._captures:
            return None
        every = "graph-sizes" in self._faults
        sizes = list(range(1, self._options.batch + 1)) if every else usual_sizes(self._options.batch)
        graphs = Graphs(self._runner.decode, sizes, self._width, self.device.name, share_pool=not every)
        self.graph_bytes = self._capture(graphs)
        return graphs

    def _capture(self, graphs):
        """Bytes that torch took from the driver for it."""
        self.device.release()
        before = torch.cuda.memory_reserved(self.device.name)
        with torch.inference_mode():
            graphs.capture()
        self.device.release()
        return max(0, torch.cuda.memory_reserved(self.device.name) - before)

    def _runner_on(self, cache):
        return Runner(torch.compile(self._model) if self._options.compile else self._model, cache, self.device, self._width)

    def _forget(self):
        if "plan-forgets" not in self._faults:
            return None
        return torch.zeros(self._options.forgotten, dtype=torch.uint8, device=self.device.name)

    def _wake_weights(self):
        weights = next(self._model.parameters())
        if weights.is_meta:
            made = transformer.make(self._options, self.device.name, self.device.dtype)
            self._model.to_empty(device=self.device.name)
            self._model.load_state_dict(made.state_dict())
        else:
            self._model.to(self.device.name)

    def truth(self):
        """What the parts took, for whoever checks what a profiler says."""
        return {
            "plan": asdict(self.plan),
            "parts": self.parts(),
            "kv_most_used": self.cache.most_used / max(1, self.cache.blocks - 1),
            "sessions": len(self.sessions),
            "staging": self.staging.bytes,
            "staging_asked": self.staging.asked,
            "graphs": len(self._graphs) if self._graphs else 0,
            "graph_bytes": self.graph_bytes,
            **self.device.counters(),
            "sleeps": self.sleeps,
            "preemptions": self.scheduler.preemptions,
        }
