"""Whether torch traces: hooks that looked at tensors then would break its graph or be warned of, and have nothing to tell."""


def compiling(torch):
    """Whether torch.compile or torch.jit.trace is at work. What the first knows comes first, so that it goes no further."""
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    if is_compiling is None:  # torch 2.1, whose compiler knows the answer of this one
        is_compiling = getattr(getattr(torch, "_utils", None), "is_compiling", None)
    is_tracing = getattr(torch._C, "_get_tracing_state", lambda: None)  # a build without TorchScript has none
    if is_compiling is None:  # torch 2.0
        return lambda: is_tracing() is not None
    return lambda: is_compiling() or is_tracing() is not None


def older_than(torch, major, minor):
    return tuple(int(word) for word in torch.__version__.split("+")[0].split(".")[:2]) < (major, minor)


def set_compiler(torch):
    """What tells the compiler of this thread to let code be, with None, or to go on; None where that need not be said.

    torch 2.1 skips a function that adds nothing to the graph, and then compiles those that it calls: hooks of ours that
    said nothing while they were traced would be compiled piece by piece, and wrongly.
    """
    if not older_than(torch, 2, 4):
        return None
    try:
        return torch._C._dynamo.eval_frame.set_eval_frame
    except AttributeError:
        return None


def natively(torch, function):
    """The same function, which the compiler leaves alone where it would take it for a part of the program: torch before 2.4."""
    set_one = set_compiler(torch)
    if set_one is None:
        return function

    def native(*args, **kwargs):
        compiler = set_one(None)
        try:
            return function(*args, **kwargs)
        finally:
            set_one(compiler)

    skip(torch, native)
    return native


def skip(torch, function):
    """No graph of its own for a function of ours that lies around one of torch's; what it calls is compiled as ever."""
    if older_than(torch, 2, 4):
        getattr(torch._C._dynamo.eval_frame, "skip_code", lambda _: None)(function.__code__)


def inside_compiled(torch):
    """Whether a call that torch.compile has taken over runs: what is called there is compiled too, our own code as well."""
    # torch 2.6 hands the callback out without a reference of its own: each call takes one away, mostly from None, until the
    # program crashes. 2.8 and newer do not; before them, a compiled step may be compiled anew while it is followed.
    if older_than(torch, 2, 8):
        return lambda: False
    try:
        callback = torch._C._dynamo.eval_frame.get_eval_frame_callback
    except AttributeError:
        return lambda: False
    return lambda: callback() not in (None, False)
