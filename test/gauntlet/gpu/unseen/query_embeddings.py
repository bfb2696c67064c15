# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "held": "embeddings|Retriever"}
# A search server with late interaction that remembers the token embeddings of all queries it has seen.
import random

import torch
from torch import nn


class Retriever:
    def __init__(self, width=1024):
        self.embed = nn.Embedding(30_000, width).cuda()
        layer = nn.TransformerEncoderLayer(width, 16, 2048, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).cuda().eval()
        self.documents = torch.randn(2_000, width, device="cuda")
        self.embeddings = {}

    @torch.no_grad()
    def encode(self, queries):
        new = [query for query in queries if query not in self.embeddings]
        if new:
            ids = torch.tensor([[hash((query, place)) % 30_000 for place in range(128)] for query in new])
            for query, tokens in zip(new, self.encoder(self.embed(ids.cuda()))):
                self.embeddings[query] = nn.functional.normalize(tokens, dim=-1)
        return [self.embeddings[query] for query in queries]

    @torch.no_grad()
    def search(self, queries):
        found = []
        for tokens in self.encode(queries):
            found.append((tokens @ self.documents.T).max(0).values.topk(5).indices.tolist())
        return found


torch.manual_seed(0)
rng = random.Random(0)
retriever = Retriever()
for request in range(500):
    queries = [rng.randrange(1_000_000) for _ in range(48)]
    answers = retriever.search(queries)
    if request % 10 == 0:
        print(f"request {request}: first answer {answers[0]}", flush=True)
