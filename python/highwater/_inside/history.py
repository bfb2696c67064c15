"""What the history of CUDA's allocator takes of the host's memory where it is ours: about, by its entries."""

# An entry without a stack (two texts, a pool, an address, sizes, a time), and what a Python stack adds to it.
ENTRY = 176
STACK = 700


class History:
    def __init__(self):
        self._entries = 0  # at most; 0: there is none of ours
        self._each = ENTRY

    def begins(self, entries, stacks):
        self._entries = entries
        self._each = ENTRY + (STACK if stacks else 0)

    def add_to(self, torch, values):
        """Adds a counter. Each allocation is an entry, and each free two."""
        if not self._entries:
            return
        events = 0
        for device in range(torch.cuda.device_count()):
            counts = torch.cuda.memory_stats_as_nested_dict(device).get("allocation", {}).get("all")
            if counts:
                events += counts["allocated"] + 2 * counts["freed"]
        if events:
            values["history.bytes"] = min(events, self._entries) * self._each


history = History()
