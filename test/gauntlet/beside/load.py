"""The defined load: `load.py N` runs N busy loops and one process whose memory comes and goes, until it is ended."""
import multiprocessing
import signal
import sys
import time


def busy():
    while True:
        sum(range(100_000))


def churn():
    """Between 0 and 400 MiB, in steps of 40, eight times a second."""
    kept = []
    while True:
        kept = [] if len(kept) == 10 else kept + [bytearray(b"x") * (40 << 20)]
        time.sleep(0.125)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    targets = [busy] * int(sys.argv[1]) + [churn]
    for target in targets:
        multiprocessing.Process(target=target, daemon=True).start()
    while True:
        time.sleep(1)
