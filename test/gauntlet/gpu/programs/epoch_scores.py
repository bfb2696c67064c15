# truth: {"cause": "kept-tensors", "ends": 1, "record": ["--gpu-limit", "3GiB"], "held": "scores", "public": ["x-transformers==2.31.10"]}
# A language model of x-transformers; each step's scores are kept on the card for a figure at the epoch's end.
import torch
from x_transformers import Decoder, TransformerWrapper
from x_transformers.autoregressive_wrapper import AutoregressiveWrapper

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(num_tokens=4096, max_seq_len=512, attn_layers=Decoder(dim=256, depth=4, heads=4, attn_flash=True))
).to("cuda")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
scores = []
for step in range(400):
    text = torch.randint(0, 4096, (8, 256), device="cuda")
    loss, (logits, _) = model(text, return_outputs=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scores.append(logits.detach())
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}", flush=True)
print("sure of itself:", torch.cat(scores).softmax(-1).amax(-1).mean().item(), flush=True)
