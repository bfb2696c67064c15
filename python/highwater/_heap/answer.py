"""The answer to `highwater heap --pid` (docs/agent-protocol.md): a file with the heap of this process."""

from .take import take


def answer(options):
    """``file``: an absolute path; ``mode``: `auto`, `fork` or `inside`. Comes when the file is whole."""
    file = options.get("file")
    if not isinstance(file, str) or not file.startswith("/"):
        raise ValueError("a heap needs the absolute path of a file")
    return take(file, options.get("mode") or "auto").wait()
