"""Works and prints, now to one reader, now to another: argv is the pairs of blocks, the lines of a block, how many of
them a second, their kind, `recorded`, `same` or `more`, and a result file.

Between two lines it works for as long as that rate leaves it time for without a recorder; it finds out how long that is
before the first pair, and again after each one, since the machine is not equally quick all the time.

Each line is flushed, as a log is that somebody follows. Blocks go in pairs, in random order: one to standard output,
one to the reader that drain.py names, past the recorder, which is stopped meanwhile (SIGSTOP), so that it neither reads
nor samples. Start-up, the layout of this process in memory and whatever neighbours do for longer than a second are the
same for both blocks of a pair. `same`: there is no recorder, both readers are alike. `more`: nor is there, but the
blocks to standard output have one line in a hundred more, a slowdown that must be found.

The result has for each pair of blocks, the one to standard output first: the CPU time of this process (user and system)
and the wall time, in seconds for a thousand lines. `switches`: how often it had to wait or was put aside in a thousand
lines, likewise. `stolen`: of each pair, the seconds in which the machine was not there at all, as it is a guest of
another that had no time for it, as far as the kernel was told. `active`: seconds in which the recorder was not stopped,
from the first block on.
"""

import json
import os
import random
import resource
import signal
import sys
import time

pairs, lines, rate, kind, how, result = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:7]
RECORDER = os.getppid() if how == 'recorded' else None
# Lines before each block that do not count: the recorder wakes and catches up.
SETTLING = lines // 8
# Turns of the loop between two lines, to see what a turn takes.
TRIAL_WORK = 400

core = os.environ['BENCH_CORE']
if core:
    os.sched_setaffinity(0, {int(core)})
# Opened alike, so that both go through the same code of Python's.
outputs = [open(1, 'w', closefd=False), open(os.environ['BENCH_OTHER'], 'w')]


def text(i):
    if kind == 'iterations':
        return f'step {i}/{lines} loss: {1 / (i + 1):.4f}\n'
    return f'worker {i % 7} handed over {i} items of the queue\n'


def printed(output, count, work):
    write, flush = output.write, output.flush
    total = 0
    for i in range(count):
        for j in range(work):
            total += j * i
        write(text(i))
        flush()


def block(which, work):
    if RECORDER:
        os.kill(RECORDER, signal.SIGSTOP if which else signal.SIGCONT)
    printed(outputs[which], SETTLING, work)
    count = lines + lines // 100 if how == 'more' and which == 0 else lines
    started, cpu = time.monotonic(), time.process_time()
    printed(outputs[which], count, work)
    return [(time.process_time() - cpu) / lines * 1000, (time.monotonic() - started) / lines * 1000]


def stolen():
    with open('/proc/stat') as file:
        return int(file.readline().split()[8]) / os.sysconf('SC_CLK_TCK')


def bare(work):
    return min(block(1, work)[1] for _ in range(3))


order = random.Random(85)
aim = 1000 / rate
cpu, wall, away, switches, active = [], [], [], [0, 0], 0
try:
    idle = bare(0)
    turn = max(bare(TRIAL_WORK) - idle, 1e-9) / TRIAL_WORK
    work = max(0, round((aim - idle) / turn))
    for _ in range(pairs):
        pair = [None, None]
        gone = stolen()
        for which in order.sample((0, 1), 2):
            began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
            pair[which] = block(which, work)
            after = resource.getrusage(resource.RUSAGE_SELF)
            switches[which] += after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw
            active += 0 if which else time.monotonic() - began
        cpu.append([pair[0][0], pair[1][0]])
        wall.append([pair[0][1], pair[1][1]])
        away.append(stolen() - gone)
        # Halfway there: one slow block should not be answered by a quick one.
        work = max(0, round(work + (aim - pair[1][1]) / turn / 2))
finally:
    if RECORDER:
        os.kill(RECORDER, signal.SIGCONT)

each = [count / (pairs * (lines + SETTLING)) * 1000 for count in switches]
with open(result, 'w') as file:
    json.dump({'cpu': cpu, 'wall': wall, 'stolen': away, 'switches': each, 'active': active}, file)
