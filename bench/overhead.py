"""A workload for profilers: overhead.py KIND TURNS RESULT

objects: reads made-up records as a data loader in plain Python does: each line becomes a dict with its words, numbers
and counts, of which the last twenty thousand are kept. Many small objects, hardly a large one.
arrays: takes made-up batches of pictures through steps in numpy: cut, padded, scaled and mirrored, each step an array of
about 10 MB; the last eight are kept. Few large allocations, hardly a small one.

The result has the wall and CPU seconds of the work alone (all threads of this process), imports and set-up left out.
"""

import collections
import json
import random
import sys
import time


def objects():
    words = [f'token{i}' for i in range(5000)]
    choice = random.Random(85)
    lines = [' '.join(choice.choices(words, k=12)) + f'\t{i}\t{i / 7:.3f}' for i in range(2000)]
    kept = collections.deque(maxlen=20_000)

    def turn():
        for line in lines:
            text, label, weight = line.split('\t')
            tokens = text.split(' ')
            counts = {}
            for token in tokens:
                counts[token] = counts.get(token, 0) + 1
            pairs = [(a, b) for a, b in zip(tokens, tokens[1:])]
            kept.append(
                {'tokens': tokens, 'label': int(label), 'weight': float(weight), 'counts': counts, 'pairs': pairs}
            )

    return turn


def arrays():
    import numpy

    random = numpy.random.default_rng(85)
    source = random.integers(0, 256, (16, 3, 256, 256), dtype=numpy.uint8)
    kept = collections.deque(maxlen=8)

    def turn():
        batch = source[:, :, 16:-16, 16:-16].astype(numpy.float32)
        batch = numpy.pad(batch, ((0, 0), (0, 0), (4, 4), (4, 4)))
        batch = (batch - batch.mean()) / (batch.std() + 1e-6)
        kept.append(numpy.flip(batch, axis=3).copy())

    return turn


def main():
    kind, turns, result = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    turn = {'objects': objects, 'arrays': arrays}[kind]()
    turn()
    started, cpu = time.monotonic(), time.process_time()
    for _ in range(turns):
        turn()
    figures = {'cpu': time.process_time() - cpu, 'wall': time.monotonic() - started}
    with open(result, 'w') as file:
        json.dump(figures, file)


if __name__ == '__main__':
    main()
