"""What takes a card's memory outside torch's allocator in one go: graphs as they are captured, and NCCL when a group of processes
is made or first used. It is read before and after (outside.py).

Functions of torch's are wrapped where that costs nothing later: captures are rare, and collectives are wrapped only until each
group has been used once.
"""

import functools

from .outside import outside

_COLLECTIVES = (
    *("allreduce", "allreduce_coalesced", "broadcast", "reduce", "gather", "scatter", "barrier", "send", "recv"),
    *("allgather", "_allgather_base", "allgather_coalesced", "allgather_into_tensor_coalesced"),
    *("reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor_coalesced", "alltoall", "alltoall_base"),
)


def follow(torch):
    graph = getattr(torch.cuda, "CUDAGraph", None)
    if graph is not None:
        _follow_graphs(graph)
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available():
        Groups(torch).follow()


def _follow_graphs(graph):
    """A capture is open from its begin to its end, which makes the executable graph; one that is kept is made later."""
    begin, end = graph.capture_begin, graph.capture_end

    @functools.wraps(begin)
    def capture_begin(self, *args, **kwargs):
        if _before("graphs"):
            self._highwater_open = True
        return begin(self, *args, **kwargs)

    @functools.wraps(end)
    def capture_end(self, *args, **kwargs):
        try:
            return end(self, *args, **kwargs)
        finally:
            if self.__dict__.pop("_highwater_open", False):
                _after()

    graph.capture_begin, graph.capture_end = capture_begin, capture_end
    if hasattr(graph, "instantiate"):
        graph.instantiate = _around("graphs", graph.instantiate)


class Groups:
    """Groups of processes. NCCL takes its buffers when a group is first used, or made with a device."""

    def __init__(self, torch):
        self._module = torch.distributed.distributed_c10d
        self._torch = torch
        self._originals = {}  # collectives that are wrapped now
        self._used = set()

    def follow(self):
        for name in ("init_process_group", "new_group", "destroy_process_group"):
            wrapped = self._made(_around("nccl", getattr(self._module, name)), name)
            setattr(self._module, name, wrapped)
            setattr(self._torch.distributed, name, wrapped)
        data_parallel = getattr(getattr(self._torch.nn, "parallel", None), "distributed", None)
        check = getattr(data_parallel, "_verify_param_shape_across_processes", None)
        if check is not None:  # the first use of its group by DistributedDataParallel, which no other wrapper sees
            data_parallel._verify_param_shape_across_processes = _around("nccl", check)

    def _made(self, call, name):
        @functools.wraps(call)
        def made(*args, **kwargs):
            try:
                return call(*args, **kwargs)
            finally:
                if name != "destroy_process_group":
                    _quietly(self._wrap)

        return made

    def _wrap(self):
        group = self._module.ProcessGroup
        for name in _COLLECTIVES:
            original = getattr(group, name, None)
            if original is not None and name not in self._originals:
                self._originals[name] = original
                setattr(group, name, self._first(original))

    def _unwrap(self):
        while self._originals:
            setattr(self._module.ProcessGroup, *self._originals.popitem())

    def _first(self, original):
        @functools.wraps(original)
        def collective(group, *args, **kwargs):
            if not _quietly(self._is_first, group) or not _before("nccl"):
                return original(group, *args, **kwargs)
            try:
                return original(group, *args, **kwargs)
            finally:
                _after()

        return collective

    def _is_first(self, group):
        name = group.group_name
        if name in self._used:
            return False
        self._used.add(name)
        # Of the groups that there are, only those that this process is in can be used.
        if all(one.group_name in self._used for one in list(self._module._world.pg_map)):
            self._unwrap()
        return "nccl" in str(self._module._world.pg_backend_config.get(group, ""))


def _around(what, call):
    @functools.wraps(call)
    def around(*args, **kwargs):
        if not _before(what):
            return call(*args, **kwargs)
        try:
            return call(*args, **kwargs)
        finally:
            _after()

    return around


def _before(what):
    return _quietly(outside.before, what) is True


def _after():
    _quietly(outside.after)


def _quietly(call, *args):
    """Whatever goes wrong in here must not end a program."""
    try:
        return call(*args)
    except Exception:
        return None
