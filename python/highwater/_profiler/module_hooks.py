"""Hooks on modules that the model never takes along: not when it is copied, saved or scripted, nor in a loaded one."""

import functools
import itertools
import threading
import weakref
from collections import OrderedDict
from contextlib import contextmanager, nullcontext

# torch counts its own upward from 0, in each process anew: ours are never taken for one of those.
_keys = itertools.count(-1, -1)


def is_compiled(module):
    """Whether ``module.compile()`` was called: what runs when it is called was compiled, with the hooks that it had."""
    return getattr(module, "_compiled_call_impl", None) is not None


def new_key():
    """For the hooks of one kind on all modules. One for all, as torch.compile compiles layers of a kind once."""
    return next(_keys)


_BEFORE = ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs")
_AFTER = ("_forward_hooks", "_forward_hooks_always_called")


class ModuleHook:
    """Belongs to a layer by name, so that it holds no module. Takes what it gets, also without ``kwargs``: torch's
    quantization hands the hooks of a module on to the one that takes its place, as if they were plain ones."""

    __slots__ = ()

    def __reduce__(self):
        # For modules with a ``__getstate__`` of their own: no copy must need this package to be loaded, so that
        # a hook becomes a callable of the standard library that takes anything and does nothing.
        return getattr, (nullcontext(), "__exit__")


class Handle:
    """Puts a hook on a module and takes it off, always under the same key: what torch.compile has compiled with it
    and without it is found again. Not torch's own: a ScriptModule refuses to have any, and yet calls them."""

    __slots__ = ("_module", "_names", "_key", "_hook")

    def __init__(self, module, names, key, hook):
        self._module, self._names, self._key, self._hook = weakref.ref(module), names, key, hook
        self.put()

    def put(self):
        module = self._module()
        if module is not None:
            hooks, flags = self._names
            getattr(module, hooks)[self._key] = self._hook
            flags = getattr(module, flags, None)
            if flags is not None:  # torch 2.0 calls no hook of a layer that raised: that is found out later
                flags[self._key] = True

    def remove(self):
        module = self._module()
        for name in self._names if module is not None else ():
            getattr(module, name, {}).pop(self._key, None)

    def is_on(self, module):
        return self._module() is module


def before(module, key, hook):
    """``hook(module, args, kwargs)`` at each call of the module."""
    return AroundCompiled(module, key, hook, None) if is_compiled(module) else Handle(module, _BEFORE, key, hook)


def after(module, key, hook):
    """``hook(module, args, output)``, also where the call raised."""
    return AroundCompiled(module, key, None, hook) if is_compiled(module) else Handle(module, _AFTER, key, hook)


class CompiledCall:
    """Stands where ``module.compile()`` has put what is called, with hooks before and after: those on the module itself
    would be compiled with it, and have it compiled anew. torch leaves this out of every copy."""

    def __init__(self, module, call):
        self._module = weakref.ref(module)
        self.call = call
        self.hooks = {}  # (key, before or after) → hook

    def __call__(self, *args, **kwargs):
        hooks, module = list(self.hooks.items()), self._module()
        for (_, side), hook in hooks:
            if side is _BEFORE:
                hook(module, args, kwargs)
        output = None
        try:
            output = self.call(*args, **kwargs)
        finally:
            for (_, side), hook in reversed(hooks):
                if side is _AFTER:
                    hook(module, args, output)
        return output

    def __getattr__(self, name):
        return getattr(self.call, name)


class AroundCompiled:
    """As Handle, for a module that was compiled in place."""

    __slots__ = ("_module", "_key", "_hook")

    def __init__(self, module, key, before, after):
        self._module = weakref.ref(module)
        self._key, self._hook = ((key, _BEFORE), before) if before is not None else ((key, _AFTER), after)
        self.put()

    def put(self):
        module = self._module()
        call = getattr(module, "_compiled_call_impl", None)
        if call is None:
            return
        if type(call) is not CompiledCall:
            call = module._compiled_call_impl = CompiledCall(module, call)
        call.hooks[self._key] = self._hook

    def remove(self):
        module = self._module()
        call = getattr(module, "_compiled_call_impl", None)
        if type(call) is CompiledCall:
            call.hooks.pop(self._key, None)
            if not call.hooks:
                module._compiled_call_impl = call.call

    def is_on(self, module):
        return self._module() is module


class OutOfSight:
    """While there are hooks of ours: torch's ways to copy, save, script and export a module pass them over."""

    def __init__(self):
        self._lock = threading.Lock()
        self._users = 0
        self._undo = ()

    def begin(self, torch):
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._undo = _patched(torch.nn.Module, "__getstate__", _getstate), *_scripting(torch), *_exporting(torch)

    def end(self):
        with self._lock:
            self._users -= 1
            if self._users == 0:
                for undo in self._undo:
                    undo()
                self._undo = ()


out_of_sight = OutOfSight()


def _getstate(original):
    def __getstate__(self):
        state = original(self) if original is not None else self.__dict__.copy()
        return _clean(state) if type(state) is dict else state

    return __getstate__


def _scripting(torch):
    """Scripting compiles hooks along with the module."""
    recursive = getattr(torch.jit, "_recursive", None)
    if not hasattr(recursive, "create_script_module"):
        return

    def create(original):
        def create_script_module(nn_module, *args, **kwargs):
            with _hidden(nn_module):
                return original(nn_module, *args, **kwargs)

        return create_script_module

    yield _patched(recursive, "create_script_module", create)


def _exporting(torch):
    """torch.export follows hooks as well, and until torch 2.8 gives up on what they refer to."""
    if not hasattr(getattr(torch, "export", None), "export"):
        return

    def make(original):
        @functools.wraps(original)
        def export(mod, *args, **kwargs):
            with _hidden(mod) if isinstance(mod, torch.nn.Module) else nullcontext():
                return original(mod, *args, **kwargs)

        return export

    yield _patched(torch.export, "export", make)


def _patched(owner, name, make):
    """Puts something around a function; returns what undoes it."""
    original = vars(owner).get(name)
    ours = make(original)
    setattr(owner, name, ours)

    def undo():
        if vars(owner).get(name) is not ours:
            return  # somebody has put something around ours
        if original is None:
            delattr(owner, name)
        else:
            setattr(owner, name, original)

    return undo


def _clean(state):
    """A module's ``__dict__`` without our hooks."""
    for hooks, flags in (_BEFORE, _AFTER):
        ours = _ours(state.get(hooks))
        for name in (hooks, flags) if ours else ():
            if name in state:
                state[name] = OrderedDict((key, one) for key, one in state[name].items() if key not in ours)
    return state


@contextmanager
def _hidden(root):
    """Takes our hooks off a module and all within for a moment."""
    hidden = []
    for module in root.modules():
        for names in (_BEFORE, _AFTER):
            ours = _ours(vars(module).get(names[0]))
            hidden += [(module, name, key, getattr(module, name).pop(key, None)) for name in names for key in ours]
    try:
        yield
    finally:
        for module, name, key, value in hidden:
            if value is not None:
                getattr(module, name)[key] = value


def _ours(hooks):
    return [key for key, hook in hooks.items() if isinstance(hook, ModuleHook)] if hooks else []
