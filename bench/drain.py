"""Runs a command with its output on a pipe or a terminal, and reads it as fast as it comes.

A second pipe or terminal is read beside it; the command finds its path in BENCH_OTHER. Where there is more than one
core, BENCH_CORE names one that this process and the command leave alone: the workload puts itself there.
"""

import os
import pty
import subprocess
import sys
import threading


def drain(source):
    while True:
        try:
            if not os.read(source, 1 << 16):
                break
        except OSError:  # a terminal whose other side is closed
            break


kind, command = sys.argv[1], sys.argv[2:]
make = pty.openpty if kind == 'terminal' else os.pipe
(source, sink), (other_source, other_sink) = make(), make()
other = os.ttyname(other_sink) if kind == 'terminal' else f'/proc/{os.getpid()}/fd/{other_sink}'
*rest, core = sorted(os.sched_getaffinity(0))
if rest:
    os.sched_setaffinity(0, rest)
environment = {**os.environ, 'BENCH_OTHER': other, 'BENCH_CORE': str(core) if rest else ''}
child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment)
os.close(sink)
threading.Thread(target=drain, args=(other_source,), daemon=True).start()
drain(source)
sys.exit(child.wait())
