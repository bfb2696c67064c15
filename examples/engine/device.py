"""What the device's allocator and the driver say; without a card, what the kernel says of this process."""

import torch


class Device:
    def __init__(self, name, dtype):
        self.name = name or ("cuda" if torch.cuda.is_available() else "cpu")
        self.is_card = self.name.startswith("cuda")
        self.dtype = getattr(torch, dtype or ("bfloat16" if self.is_card else "float32"))
        if self.is_card:
            torch.cuda.init()
            torch.zeros(1, device=self.name)
        else:
            # The products are small: threads would wait for each other, and sums depend on how many there are.
            torch.set_num_threads(1)

    def allocated(self):
        """Bytes of live tensors; 0 without a card, as nobody counts them there."""
        return torch.cuda.memory_allocated(self.name) if self.is_card else 0

    def outside(self):
        """Bytes on the card that are not torch's, others' processes among them; without a card, what this process holds."""
        if not self.is_card:
            return _resident()
        free, total = torch.cuda.mem_get_info(self.name)
        return total - free - torch.cuda.memory_reserved(self.name)

    def counters(self):
        """What torch's allocator has now and had at most, and what is outside it; nothing without a card."""
        if not self.is_card:
            return {}
        return {
            "allocated": torch.cuda.memory_allocated(self.name),
            "reserved": torch.cuda.memory_reserved(self.name),
            "peak_allocated": torch.cuda.max_memory_allocated(self.name),
            "peak_reserved": torch.cuda.max_memory_reserved(self.name),
            "outside": self.outside(),
        }

    def total(self):
        return torch.cuda.mem_get_info(self.name)[1]

    def peak_of(self, call):
        """Bytes that a call needs on top of what is there; None without a card."""
        if not self.is_card:
            call()
            return None
        torch.cuda.synchronize(self.name)
        before = torch.cuda.memory_allocated(self.name)
        torch.cuda.reset_peak_memory_stats(self.name)
        call()
        torch.cuda.synchronize(self.name)
        return torch.cuda.max_memory_allocated(self.name) - before

    def release(self):
        """Gives back what torch keeps for later."""
        if self.is_card:
            torch.cuda.synchronize(self.name)
            torch.cuda.empty_cache()


def _resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0
