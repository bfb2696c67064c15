"""The file with a snapshot of CUDA's allocator: what torch tells, and who owns each block."""

import os
import pickle

from .owners import name_blocks


def write(torch, amend, now, send, into):
    """``amend(snapshot)`` returns the file's name, what is said of it, and what the answer is; no name: nothing is written.
    ``into`` is a folder."""
    snapshot = torch.cuda.memory._snapshot()
    name, facts, answer = amend(snapshot)
    if name is None:
        return answer
    try:
        name_blocks(torch, snapshot)
    except Exception:
        pass  # a snapshot without owners is worth more than none
    path = os.path.join(into, name)
    with open(path + ".part", "wb") as file:
        pickle.dump(snapshot, file, protocol=4)
    os.rename(path + ".part", path)
    send({"type": "snapshot", "time": now, "file": name, **facts})
    return answer
