# truth: {"cause": "fragmentation", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# Sound clips of many lengths fill the card; three of four are dropped, and what is left pins a piece of every segment.
import random

import torch
from torch.nn.utils.rnn import pad_sequence

RATE = 48_000
torch.manual_seed(0)
rng = random.Random(0)


def load(count):
    clips = []
    for number in range(count):
        seconds = rng.uniform(8, 20)
        clips.append(torch.randn(int(seconds * RATE), device="cuda").clamp_(-3, 3))
        if number % 100 == 0:
            print(f"{number} clips, {torch.cuda.memory_allocated() >> 20} MiB", flush=True)
    return clips


def loudness(clips):
    padded = pad_sequence(clips, batch_first=True)
    return padded.square_().mean(1).sqrt()


clips = load(800)
speaker = [number % 4 for number in range(len(clips))]
clips = [clip for clip, who in zip(clips, speaker) if who == 2]
print(f"{len(clips)} clips of speaker 2, {torch.cuda.memory_allocated() >> 20} MiB", flush=True)
print("loudest", loudness(clips).max().item())
