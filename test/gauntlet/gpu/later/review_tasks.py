# truth: {"cause": "evaluation-with-gradients", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["transformers==5.17.0"]}
# BERT with a head for stars and one for topics, trained on 16 reviews at a time; its check takes 320 and builds graphs.
# 24 million parameters: with gradients and AdamW's state 0.4 GB. A token saves about 35 kB in each of six layers, a review of
# 128 tokens some 27 MB: a training step 0.5 GB, a check 8 GB. Without graphs a check needs three times 320 x 128 x 2048
# floats: 1 GB.
import torch
from torch import nn
from torch.nn import functional as F
from transformers import BertConfig, BertModel


class Reviews(nn.Module):
    def __init__(self):
        super().__init__()
        config = BertConfig(
            vocab_size=8000, hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048
        )  # fmt: skip
        self.encoder = BertModel(config)
        self.stars = nn.Linear(512, 1)
        self.topic = nn.Linear(512, 12)

    def forward(self, tokens):
        text = self.encoder(input_ids=tokens).last_hidden_state[:, 0]
        return self.stars(text).squeeze(-1), self.topic(text)


def batch(size):
    tokens = torch.randint(0, 8000, (size, 128), device="cuda")
    return tokens, torch.rand(size, device="cuda") * 5, torch.randint(0, 12, (size,), device="cuda")


torch.manual_seed(0)
model = Reviews().to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def check():
    model.eval()
    error = right = 0.0
    for _ in range(4):
        tokens, stars, topics = batch(320)
        guessed, scores = model(tokens)
        error += (guessed - stars).abs().mean().item() / 4
        right += (scores.argmax(-1) == topics).float().mean().item() / 4
    model.train()
    return error, right


for step in range(1, 201):
    tokens, stars, topics = batch(16)
    guessed, scores = model(tokens)
    loss = F.mse_loss(guessed, stars) + F.cross_entropy(scores, topics)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
    if step % 40 == 0:
        print("stars off by %.2f, topics right %.2f" % check(), flush=True)
