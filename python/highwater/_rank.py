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


def job():
    """What names the job that this process is one rank of, and how many there are; as far as launchers tell."""
    told = {}
    env = os.environ
    sizes = [env.get(size, "") for _, size in LAUNCHERS if size in env]
    if sizes and sizes[0].isdigit():
        told["world"] = int(sizes[0])
    elastic = env.get("TORCHELASTIC_RUN_ID", "none")
    if elastic != "none":
        told["job"] = elastic
    elif "WORLD_SIZE" in env and env.get("MASTER_ADDR") and env.get("MASTER_PORT"):
        told["job"] = "%s:%s" % (env["MASTER_ADDR"], env["MASTER_PORT"])
    elif env.get("PMIX_NAMESPACE"):
        told["job"] = env["PMIX_NAMESPACE"]
    elif env.get("SLURM_JOB_ID"):
        told["job"] = "%s.%s" % (env["SLURM_JOB_ID"], env.get("SLURM_STEP_ID", "0"))
    return told


def _rank_of_group():
    """Plain multiprocessing has no variables: torch was told the rank by the program."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass
    return None
