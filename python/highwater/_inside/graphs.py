"""Graphs that autograd keeps, and what keeps them: `total = total + loss` holds those of all iterations by one number.

A tensor's graph is walked from its `grad_fn` along `next_functions`. That runs no code of the program's and changes
nothing: torch makes a Python object for each node that is looked at, and lets it go again afterwards. What a node has
saved is not asked for, as that would run the program's own saved-tensor hooks.
"""

import time
import weakref

from .._names import holders
from .._places import with_line
from .._whole import instances

# All that is looked at in one survey: tens of milliseconds.
MOST_NODES = 20_000
MOST_NS = 50_000_000
# Whose growth is followed: so many tensors, of those that keep most.
MOST_GRAPHS = 3
FEWEST_NODES = 4


class Graphs:
    def __init__(self):
        self._noted = {}  # by what holds it: nodes when it was first seen, and when

    def survey(self, torch, now, tensors=None):
        """Rows [kind, type, of, holder, count, grown, seconds, bytes], as those of `objects`: nodes that hang on a tensor."""
        found = _largest(instances((torch.Tensor,)) if tensors is None else tensors)
        names = holders([tensor() for _, _, tensor in found])
        rows = []
        for (count, made_by, _), holder in zip(found, names):
            placed = with_line(holder)
            if not holder or any(row[3] == placed for row in rows):
                continue
            first, since = self._noted.setdefault(holder, (count, now))
            if count < first:
                first, since = self._noted[holder] = (count, now)  # let go of, and begun again
            rows.append(["graph", made_by, "", placed, count, count - first, (now - since) / 1e9, 0])
        return rows


def _largest(tensors):
    """(nodes, what made the tensor, a weak reference to it), the largest first; what is part of another's graph, once."""
    roots = []
    for tensor in tensors:
        try:
            node = tensor.grad_fn
            if node is not None:
                roots.append((node._sequence_nr(), node, weakref.ref(tensor)))
        except Exception:
            continue  # half gone, or of an older torch
    # The newest first: its graph has those of others in it.
    roots.sort(key=lambda root: -root[0])
    ends = time.monotonic_ns() + MOST_NS
    seen = {}  # by id; what is kept here is not made anew under another
    found = []
    for _, node, tensor in roots:
        before = len(seen)
        if not _walk(node, seen, ends):
            # Cut short: how many there are is not known, and of those behind it nothing is.
            break
        if len(seen) - before >= FEWEST_NODES:
            found.append((len(seen) - before, type(node).__name__, tensor))
    return sorted(found, key=lambda row: -row[0])[:MOST_GRAPHS]


def _walk(root, seen, ends):
    """Adds the nodes of its graph; False where there are more than may be looked at."""
    ahead = [root]
    while ahead:
        node = ahead.pop()
        if id(node) in seen:
            continue
        if len(seen) >= MOST_NODES or (len(seen) % 256 == 255 and time.monotonic_ns() > ends):
            return False
        seen[id(node)] = node
        # A function of the program's own has the same attribute, by a getter of torch's.
        ahead += [one for one, _ in node.next_functions if one is not None]
    return True
