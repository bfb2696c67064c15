"""What JAX's compiled programs need, by the compiler's own accounting: asked of each once, and without compiling anything."""

import time

from .._agent import agent

_PARTS = (
    ("arguments", "argument_size_in_bytes"),
    ("outputs", "output_size_in_bytes"),
    ("temporaries", "temp_size_in_bytes"),
    ("code", "generated_code_size_in_bytes"),
)


class Programs:
    """Of those that live: how many, the most temporaries of one, and the most that one needs in all."""

    def __init__(self):
        self._known = {}
        self._told = 0

    def counters(self, backends):
        programs = [one for backend in backends for one in backend.live_executables()]
        known = {}
        for program in programs:
            # Nothing of ours may keep a program alive: its fingerprint stands for it until it is gone.
            key = getattr(program, "fingerprint", None) or id(program)
            known[key] = self._known.get(key) or _needs(program)
        self._known = known
        # Some backends answer with zeros (jax-ml/jax#18954): nothing is known of those.
        told = [needs for needs in known.values() if needs["all"] > 0]
        if not told:
            return {}
        largest = max(told, key=lambda needs: needs["all"])
        self._tell(largest)
        return {
            "jax.programs": len(programs),
            "jax.program_temporaries": max(needs["temporaries"] for needs in told),
            "jax.program_needs": largest["all"],
        }

    def _tell(self, largest):
        """A note where the program comes that needs more than all before it."""
        if largest["all"] <= self._told:
            return
        self._told = largest["all"]
        parts = ", ".join("%s %s" % (part, _size(largest[part])) for part, _ in _PARTS if largest[part])
        given = ", %s of them in place of arguments" % _size(largest["aliased"]) if largest["aliased"] else ""
        name = "JAX compiled %s: needs %s (%s%s)" % (largest["name"], _size(largest["all"]), parts, given)
        mark = {"kind": "note", "name": name, "epoch": None, "iteration": None, "value": largest["all"]}
        agent.send({"type": "mark", "time": time.monotonic_ns(), **mark})


def _needs(program):
    stats = program.get_compiled_memory_stats()
    needs = {part: getattr(stats, key) for part, key in _PARTS}
    needs["aliased"] = stats.alias_size_in_bytes
    # Outputs that take an argument's place (donated) are counted among both.
    needs["all"] = sum(needs[part] for part, _ in _PARTS) - needs["aliased"]
    try:
        needs["name"] = program.hlo_modules()[0].name
    except Exception:
        needs["name"] = "a program"
    return needs


def _size(count):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return "%.2f %s" % (count / size, unit)
    return "%d B" % count
