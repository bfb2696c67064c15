"""Forward passes, calls of `generate` and replays of CUDA graphs in a program that takes no gradients: how many, of what shape, how long, how high.

Which module the program calls itself is seen by a look at what its threads run, a few times a second; that module alone gets
two hooks, and they come off again while they would cost more than one part in a hundred. What a pass takes is read off torch's
counters, and nothing is waited for or reset: the peak of a pass is known where it is the highest so far.
"""

import _thread
import functools
import inspect
import itertools
import os
import sys
import time
import types
import weakref
from collections import deque

from .._compiling import compiling, natively
from .._frames import local_variables, thread_frames
from .._profiler.module_hooks import ModuleHook, after, before, new_key, out_of_sight

# Of all time, one part in so many.
SHARE = 100
# What torch takes for calling two hooks, beside the time in them.
CALL_NS = 2_000
MOST_WAITING = 50_000
MOST_MODULES = 8
MOST_FRAMES = 400
# Shapes of one message; what has more is put together.
MOST_SHAPES = 48
# Until a module has been found, looks come soon: a program may be over in seconds. So many of them.
EAGER_LOOKS = 200
# With modules found, others are looked for in one turn of so many.
CALM_TURNS = 8
OTHERS = "other shapes"
# What runs bit by bit, later than it is called.
_IN_PIECES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_NAMES = ("input_ids", "inputs_embeds", "inputs", "tokens", "x", "sample")

# Hooks of one kind have one key, on all modules.
_ENTER, _LEAVE = new_key(), new_key()

passes = None  # Passes, in a program that has imported torch


def arm(torch):
    global passes
    passes = Passes(torch)


class Passes:
    def __init__(self, torch):
        self._torch = torch
        self._compiling = compiling(torch)
        self._enter = _Enter(natively(torch, self._forward_begins))
        self._leave = _Leave(natively(torch, self._forward_ends))
        self._calls = _codes(torch)
        self._restart()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restart)
        self._follow_replays()

    def _restart(self):
        self._hooks = getattr(self, "_hooks", [])
        self._open = {}  # by thread: the pass that runs
        self._unhook()
        self._known = []  # weak references to the modules that have hooks, or had them
        self._generates = getattr(self, "_generates", [])  # (class, function, ours): a fork has them too
        self._waiting = deque(maxlen=MOST_WAITING)  # tuples of what has ended: any thread may append
        self._replays = itertools.count()
        self._replays_told = 0
        self._own_ns = 0
        self._cost = None
        self._turns = 0
        self._rest_until = 0
        self._turn_at = time.monotonic_ns()
        self._since = None  # when the first module got its hooks
        self._watched_ns = 0  # of the time since then, with hooks
        self._about = 0.0  # forward passes in all that time: those seen, and as many in a rest as there were before and after it
        self._rest_ns = 0  # of a rest that is not in there yet
        self._rate = 0.0  # passes a nanosecond, when last watched
        self._over = False

    @property
    def waits(self):
        """Whether it should be asked again soon: no module has been found yet."""
        return not self._over and not self._known and self._turns < EAGER_LOOKS

    def turn(self, now, trains, last=False):
        """Looks for modules, and returns messages of what has ended since. ``trains``: gradients are taken, and all of it ends."""
        if self._over:
            return []
        if _is_loader():
            self.leave()  # modules that make batches for another process
            return []
        if trains:
            self.leave()
            return [_counters(now, {"passes.training": 1})]
        took, self._turn_at = now - self._turn_at, now
        self._turns += 1
        watched = bool(self._hooks)
        if not self._known or self._turns % CALM_TURNS == 0:
            self._look()
        rows, count = self._take()
        self._reckon(took, watched, rows, last)
        if watched:
            self._rest_if_dear(now, took, count)
        elif self._known and not self._hooks and now >= self._rest_until:
            self._put()
        if self._since is None and self._hooks:
            self._since = now
        messages = [{"type": "passes", "time": now, "rows": rows}] if rows else []
        # Also where hooks come and go: a program that ends while they rest has not been watched to its end.
        if self._since is not None and (rows or last or watched != bool(self._hooks)):
            times = {"passes.watched_ns": self._watched_ns, "passes.known_ns": now - self._since, "passes.about": round(self._about)}
            messages.append(_counters(now, times))
        return messages

    def _reckon(self, took, watched, rows, last):
        forward = sum(row[3] for row in rows if row[0] == "forward")
        self._about += forward
        if self._since is None:
            return
        if watched:
            self._watched_ns += took
            rate = forward / max(1, took)
            self._about += self._rest_ns * (self._rate + rate) / 2
            self._rest_ns, self._rate = 0, rate
        else:
            self._rest_ns += took
            if last:
                self._about += self._rest_ns * self._rate

    def leave(self):
        self._over = True
        self._unhook()
        for kind, function, ours in self._generates:
            if kind.__dict__.get("generate") is ours:
                kind.generate = function
        self._waiting.clear()

    # Found by what the threads run.

    def _look(self):
        me = _thread.get_ident()
        for thread, frame in thread_frames().items():
            if thread == me:
                del frame  # it would keep itself
                continue
            called, generating = self._outermost(frame)
            del frame
            module = _self_of(called) if called is not None else None
            del called
            if module is not None and len(self._known) < MOST_MODULES and all(one() is not module for one in self._known):
                self._known.append(weakref.ref(module))
                if self._hooks:
                    self._put_on(module)
            if generating is not None:
                self._follow_generate(generating, module)
            del generating, module

    def _outermost(self, frame):
        """The frames of the outermost call of a module, and of the outermost `generate` of one; not of what was compiled into another function."""
        called = generating = None
        for _ in range(MOST_FRAMES):
            if frame is None:
                break
            code = frame.f_code
            if code in self._calls:
                called = frame
            elif (called or generating) and "_dynamo" in code.co_filename and code.co_name != "__call__":
                called = generating = None  # a compiled function calls it; what torch.compile makes of a module calls itself
            elif code.co_name == "generate":
                generating = frame
            frame = frame.f_back
        return called, generating

    def _put(self):
        for one in self._known:
            module = one()
            if module is not None:
                self._put_on(module)

    def _put_on(self, module):
        if not self._hooks:
            out_of_sight.begin(self._torch)
        self._hooks += [before(module, _ENTER, self._enter), after(module, _LEAVE, self._leave)]

    def _unhook(self):
        for hook in self._hooks:
            hook.remove()
        if self._hooks:
            out_of_sight.end()
        self._hooks = []
        self._open.clear()

    def _rest_if_dear(self, now, took, count):
        cost, self._own_ns = self._own_ns + count * CALL_NS, 0
        # By what turns cost of late: were it this one's alone, a busy moment would be followed by a longer rest, and count for less.
        self._cost = cost if self._cost is None else self._cost + (cost - self._cost) // 4
        if self._cost * SHARE > took:
            self._unhook()
            self._rest_until = now + self._cost * SHARE - took

    def _follow_generate(self, frame, called):
        code, model = frame.f_code, _self_of(frame)
        if model is None:
            model = called  # a function that asks for its own variables is not looked into
        if not isinstance(model, self._torch.nn.Module):
            return
        for kind in type(model).__mro__:
            function = kind.__dict__.get("generate")
            if isinstance(function, types.FunctionType) and _leads_to(function, code):
                if not function.__code__.co_flags & _IN_PIECES and all(ours is not function for _, _, ours in self._generates):
                    ours = self._around(function)
                    kind.generate = ours
                    self._generates.append((kind, function, ours))
                return

    def _around(self, function):
        @functools.wraps(function)
        def generate(*args, **kwargs):
            if self._over or self._compiling():
                return function(*args, **kwargs)
            begun = self._begin("generate", args[0] if args else None, args[1:], kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                self._end(begun)

        return generate

    def _follow_replays(self):
        kind = getattr(self._torch.cuda, "CUDAGraph", None)
        original = kind.__dict__.get("replay") if isinstance(kind, type) else None
        if not isinstance(original, types.FunctionType):
            return

        @functools.wraps(original)
        def replay(graph):
            next(self._replays)
            return original(graph)

        kind.replay = replay

    # Called by the hooks, in the program's threads.

    def _forward_begins(self, module, args, kwargs):
        if self._compiling():
            return
        thread = _thread.get_ident()
        open_one = self._open.get(thread)
        # Part of another; or that one was ended by what torch tells no hook of, Ctrl-C for one.
        if open_one is None or open_one[2]() is module:
            self._open[thread] = self._begin("forward", module, args, kwargs or {})

    def _forward_ends(self, module):
        thread = _thread.get_ident()
        begun = self._open.get(thread)
        if begun is not None and begun[2]() is module:
            self._open.pop(thread, None)
            self._end(begun)

    def _begin(self, what, module, args, kwargs):
        before = time.monotonic_ns()
        try:
            given = _given(self._torch, args, kwargs)
            shape, tokens = _shape(self._torch, given)
            device = _device(self._torch, given)
            held, peak = _allocated(self._torch, device)
            now = time.monotonic_ns()
            self._own_ns += now - before
            return now, what, weakref.ref(module), shape, tokens, device, held, peak
        except Exception:
            return None  # whatever goes wrong in here must not end a program

    def _end(self, begun):
        now = time.monotonic_ns()
        if begun is None:
            return
        try:
            since, what, module, shape, tokens, device, held, before = begun
            peak = _allocated(self._torch, device)[1]
            # As high as an earlier one, or lower: how high is not known.
            known = peak > before
            kind = type(module()).__name__
            self._waiting.append((what, kind, shape, tokens, now - since, peak if known else 0, held if known else 0))
            self._own_ns += time.monotonic_ns() - now
        except Exception:
            pass

    def _take(self):
        """Rows [what, module, shape, passes, tokens, ns, longest ns, peak, held before that one], and how many passes they are."""
        rows, count = {}, 0
        while self._waiting:
            what, kind, shape, tokens, ns, peak, held = self._waiting.popleft()
            count += 1
            key = (what, kind, shape)
            if key not in rows and len(rows) >= MOST_SHAPES and not peak:
                key = (what, kind, OTHERS)
            row = rows.setdefault(key, [*key, 0, 0, 0, 0, 0, 0])
            row[3] += 1
            row[4] += tokens
            row[5] += ns
            row[6] = max(row[6], ns)
            if peak > row[7]:
                row[7:] = peak, held
        replays = next(self._replays)
        # This question counted too, and so did those before it.
        new = replays - self._replays_told
        self._replays_told = replays + 1
        if new > 0:
            rows["replay"] = ["replay", "CUDAGraph", "", new, 0, 0, 0, 0, 0]
        return list(rows.values()), count


class _Enter(ModuleHook):
    __slots__ = ("_begins",)

    def __init__(self, begins):
        self._begins = begins

    def __call__(self, module, args, kwargs=None):
        self._begins(module, args, kwargs)


class _Leave(ModuleHook):
    __slots__ = ("_ends",)

    def __init__(self, ends):
        self._ends = ends

    def __call__(self, module, *_):
        self._ends(module)


def _codes(torch):
    """What runs when a module is called."""
    calls = [getattr(torch.nn.Module, name, None) for name in ("_call_impl", "_wrapped_call_impl")]
    return {call.__code__ for call in calls if isinstance(call, types.FunctionType)}


def _is_loader():
    """Whether this is a worker of a DataLoader."""
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None


def _self_of(frame):
    return next((value for name, value in local_variables(frame) if name == "self"), None)


def _leads_to(function, code):
    """Whether it is that function, below its decorators."""
    for _ in range(10):
        if function.__code__ is code:
            return True
        function = getattr(function, "__wrapped__", None)
        if not isinstance(function, types.FunctionType):
            return False
    return False


def _given(torch, args, kwargs):
    """The tensor that tells the size of a pass: the first one, by name or by place."""
    named = [kwargs[name] for name in _NAMES if name in kwargs]
    for one in itertools.chain(named, args, kwargs.values()):
        if isinstance(one, torch.Tensor):
            return one
        # Packed inputs: a batch of a tokenizer, a list of images.
        inner = one.values() if isinstance(one, dict) else one if type(one) in (list, tuple) else ()
        for value in itertools.islice(inner, 4):
            if isinstance(value, torch.Tensor):
                return value
    return None


def _shape(torch, given):
    """In words, and how many tokens that is; 0: not to be seen."""
    if given is None:
        return "", 0
    shape = tuple(given.shape)
    whole = not (given.is_floating_point() or given.is_complex())
    if whole:
        tokens = given.numel() if len(shape) == 2 else 0
    else:
        tokens = shape[0] * shape[1] if len(shape) == 3 else 0
    return str(list(shape)), tokens


def _device(torch, given):
    """Which card's counters tell of it; None: none, and none is started to find out."""
    if not torch.cuda.is_initialized():
        return None
    if given is not None and given.device.type == "cuda":
        return given.device.index
    return torch.cuda.current_device()


def _allocated(torch, device):
    """Bytes that torch's allocator has handed out, and the most it had; 0 without a card."""
    if device is None:
        return 0, 0
    found = torch._C._cuda_memoryStats(device)["allocated_bytes"]["all"]
    return found["current"], found["peak"]


def _counters(now, values):
    return {"type": "counters", "time": now, "values": values}
