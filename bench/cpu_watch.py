"""Runs a command and says what its process alone used of the CPU, its children not counted.

The figures come from /proc/PID/stat, which holds the whole thread group (ended threads too) and
keeps children apart. They are read each half second, and once more between the command's exit and
its being reaped, so that nothing of the run is missing. One JSON object goes to the first argument.
"""

import json
import os
import sys
import threading
import time

TICK = os.sysconf('SC_CLK_TCK')


def cpu_seconds(pid):
    with open(f'/proc/{pid}/stat') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def main():
    out, command = sys.argv[1], sys.argv[2:]
    started = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ)
    over = threading.Event()
    readings = []

    def watch():
        while not over.wait(0.5):
            readings.append([time.monotonic() - started, cpu_seconds(pid)])

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    ended = time.monotonic() - started
    over.set()
    watcher.join()
    readings.append([ended, cpu_seconds(pid)])
    _, status = os.waitpid(pid, 0)
    with open(out, 'w') as file:
        json.dump({'exit': os.waitstatus_to_exitcode(status), 'readings': readings}, file)


main()
