# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["x-transformers==2.31.10"]}
# A decoder over bytes with x-transformers' plain attention (no flash); the curriculum goes on from pages to chapters of 4096.
# 19 million parameters: with gradients and AdamW's state 0.3 GB. The scores of one layer for one chapter are 8 x 4096 x 4096
# floats: 0.5 GiB, and softmax keeps as much for each of six layers: 3 GiB at the very least, besides the one that is being
# made and its copies. At 1024 bytes it is a sixteenth. The loss is over 256 bytes: 4 MiB.
import torch
from x_transformers import Decoder, TransformerWrapper
from x_transformers.autoregressive_wrapper import AutoregressiveWrapper

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(num_tokens=256, max_seq_len=4097, attn_layers=Decoder(dim=512, depth=6, heads=8))
).to("cuda")  # fmt: skip
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
novel = torch.randint(0, 256, (1_000_000,))
curriculum = [256] * 10 + [512] * 10 + [1024] * 10 + [4096] * 10
for step, length in enumerate(curriculum):
    start = int(torch.randint(0, len(novel) - length - 1, ()))
    loss = model(novel[None, start : start + length + 1].to("cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}, {length} bytes: loss {loss.item():.3f}", flush=True)
