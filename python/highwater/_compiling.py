"""Whether torch.compile traces: hooks that spoke then would break its graph, and there is nothing to tell."""


def compiling(torch):
    """torch's own function, which its compiler knows; one that says no where there is none (torch 2.0)."""
    return getattr(getattr(torch, "compiler", None), "is_compiling", None) or _never


def _never():
    return False
