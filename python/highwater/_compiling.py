"""Whether torch traces: hooks that looked at tensors then would break its graph or be warned of, and have nothing to tell."""


def compiling(torch):
    """Whether torch.compile or torch.jit.trace is at work. What the first knows comes first, so that it goes no further."""
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    is_tracing = getattr(torch._C, "_get_tracing_state", lambda: None)  # a build without TorchScript has none
    if is_compiling is None:  # torch 2.0
        return lambda: is_tracing() is not None
    return lambda: is_compiling() or is_tracing() is not None


def inside_compiled(torch):
    """Whether a call that torch.compile has taken over runs: what is called there is compiled too, our own code as well."""
    try:
        callback = torch._C._dynamo.eval_frame.get_eval_frame_callback
    except AttributeError:
        return lambda: False
    return lambda: callback() not in (None, False)
