"""The rank of this process, as launchers and torch tell it."""

import os
import sys

# The launchers' variables, and the one beside it that tells it from a word that merely looks alike. In this
# order: torchrun under srun leaves SLURM_PROCID at the node's number. The recorder has the same list
# (src/sources/process-tree/rank.ts).
LAUNCHERS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)


def rank():
    """A number, or None."""
    known = _rank_of_group()
    if known is not None:
        return known
    for name, size in LAUNCHERS:
        text = os.environ.get(name, "")
        if text.isdigit() and text.isascii() and size in os.environ:
            return int(text)
    return None


def _rank_of_group():
    """Plain multiprocessing has no variables: torch was told the rank by the program."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass
    return None
