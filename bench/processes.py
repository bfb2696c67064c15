"""A workload of forked processes: processes.py COUNT SECONDS idle|busy

idle: each wakes twenty times a second and touches a little memory. busy: each computes all along.
"""

import os
import sys
import time


def idle(until, block):
    while time.monotonic() < until:
        block[:4096] = bytes(4096)
        time.sleep(0.05)


def busy(until, block):
    while time.monotonic() < until:
        sum(range(10_000))
        block[:4096] = bytes(4096)


def main():
    count, seconds, kind = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    until = time.monotonic() + seconds
    work = {'idle': idle, 'busy': busy}[kind]
    children = []
    for _ in range(count - 1):
        pid = os.fork()
        if pid == 0:
            work(until, bytearray(4 << 20))
            os._exit(0)
        children.append(pid)
    work(until, bytearray(4 << 20))
    for pid in children:
        os.waitpid(pid, 0)


main()
