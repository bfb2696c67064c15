# truth: {"cause": "logits", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["x-transformers==2.31.10"]}
# A narrow decoder of x-transformers over 100 thousand tokens; after some steps on short texts come texts of 1024.
import torch
from x_transformers import Decoder, TransformerWrapper
from x_transformers.autoregressive_wrapper import AutoregressiveWrapper

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(num_tokens=100_000, max_seq_len=2048, attn_layers=Decoder(dim=192, depth=3, heads=3, attn_flash=True))
).to("cuda")  # fmt: skip
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for length in (64, 64, 128, 128, 1024):
    loss = model(torch.randint(0, 100_000, (6, length + 1), device="cuda"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"texts of {length}: loss {loss.item():.3f}", flush=True)
