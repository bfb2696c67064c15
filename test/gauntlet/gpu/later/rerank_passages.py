# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "2GiB"], "held": "encode|lru_cache|passage|memo"}
# A reranker by late interaction: what a passage's tokens mean is worked out once, and functools keeps it for the next query.
# Two layers of width 1024 are 0.1 GB, a pass over one passage of 2048 tokens takes 0.2 GB at most. A passage encoded is
# 2048 x 1024 floats: 8 MiB; some 150 of them fill the card, and the cache may have a thousand of 3000: 8 GiB.
import functools
import random

import torch
from torch import nn

torch.manual_seed(0)
rng = random.Random(0)
tokens_of = torch.randint(0, 5000, (3000, 2048))
embedding = nn.Embedding(5000, 1024).cuda()
encoder = nn.Sequential(
    *(nn.TransformerEncoderLayer(1024, 8, 4096, batch_first=True, norm_first=True) for _ in range(2))
).cuda().eval()  # fmt: skip


@functools.lru_cache(maxsize=1000)
def encode(passage):
    return encoder(embedding(tokens_of[passage, None].to("cuda")))[0]


@torch.inference_mode()
def rerank(query, passages):
    asked = encoder(embedding(query[None]))[0]
    scores = {passage: (asked @ encode(passage).T).amax(-1).sum().item() for passage in passages}
    return sorted(passages, key=scores.get, reverse=True)


for number in range(500):
    passages = rng.sample(range(len(tokens_of)), 4)
    best = rerank(torch.randint(0, 5000, (24,), device="cuda"), passages)[0]
    if number % 5 == 0:
        print(f"query {number}: passage {best}", flush=True)
