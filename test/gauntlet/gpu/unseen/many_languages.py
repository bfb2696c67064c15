# truth: {"cause": "logits", "ends": 1, "record": ["--gpu-limit", "3GiB"]}
# A masked language model of 250,002 tokens, with label smoothing; its body is small.
import torch
from torch import nn

VOCABULARY, WIDTH = 250_002, 128


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.body = nn.GRU(WIDTH, WIDTH // 2, batch_first=True, bidirectional=True)
        self.bias = nn.Parameter(torch.zeros(VOCABULARY))

    def forward(self, tokens):
        hidden, _ = self.body(self.embed(tokens))
        return nn.functional.linear(hidden, self.embed.weight, self.bias)


torch.manual_seed(0)
model = Tagger().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
for step in range(20):
    tokens = torch.randint(0, VOCABULARY, (4, 256), device="cuda")
    masked = tokens.masked_fill(torch.rand(tokens.shape, device="cuda") < 0.15, 0)
    scores = model(masked)
    loss = criterion(scores.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}", flush=True)
