"""Runs a command and says how long it took and how much memory it had at most, as JSON.

Usage: usage.py OUT COMMAND...   The command's own output goes to OUT; the figures to stdout.
"""

import json
import os
import sys
import time


def main():
    out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    command = sys.argv[2:]
    started = time.monotonic()
    actions = [(os.POSIX_SPAWN_DUP2, out, 1)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    seconds = time.monotonic() - started
    print(json.dumps({
        'exit': os.waitstatus_to_exitcode(status),
        'seconds': seconds,
        'cpuSeconds': used.ru_utime + used.ru_stime,
        'peakBytes': used.ru_maxrss * 1024,
    }))


main()
