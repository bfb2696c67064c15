# truth: {"cause": "no-problem-seen", "by": ["{here}/beside/in_group.sh", "300M", "{python}"]}
# Shards are written and read again, far more than the container's memory: the kernel's cache of pages fills it, and gives way.
import os
import tempfile
import time

with tempfile.TemporaryDirectory() as folder:
    for epoch in range(30):
        path = os.path.join(folder, f"shard-{epoch % 6}")
        with open(path, "wb") as file:
            for _ in range(64):
                file.write(os.urandom(1 << 20))
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass
        print("epoch", epoch, flush=True)
        time.sleep(0.1)
