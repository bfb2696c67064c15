"""Works and prints: argv is the lines, the work between two of them, their kind and a result file.

Each line is flushed, as a log is that somebody follows. The result has the CPU time of this process
alone (user and system) and the wall time for a thousand lines, start-up left out: those of the quickest
quarter of all stretches, as neighbours on the same machine can only make it slower.
"""

import json
import resource
import sys
import time

lines, work, kind, result = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
write, flush = sys.stdout.write, sys.stdout.flush


def text(i):
    if kind == 'iterations':
        return f'step {i}/{lines} loss: {1 / (i + 1):.4f}\n'
    return f'worker {i % 7} handed over {i} items of the queue\n'


STRETCH = 500
stretches = []
started, cpu = time.monotonic(), time.process_time()
total = 0
for i in range(lines):
    for j in range(work):
        total += j * i
    write(text(i))
    flush()
    if i % STRETCH == STRETCH - 1:
        now, used = time.monotonic(), time.process_time()
        stretches.append((used - cpu, now - started))
        started, cpu = now, used


def quick(column):
    values = sorted(stretch[column] for stretch in stretches)
    quarter = values[: max(1, len(values) // 4)]
    return sum(quarter) / len(quarter) / STRETCH * 1000


usage = resource.getrusage(resource.RUSAGE_SELF)
switches = (usage.ru_nvcsw + usage.ru_nivcsw) / lines * 1000
with open(result, 'w') as file:
    json.dump({'cpu': quick(0), 'wall': quick(1), 'switches': switches}, file)
