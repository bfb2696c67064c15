# truth: {"cause": "activations", "ends": 1, "record": ["--gpu-limit", "4GiB"], "public": ["torchaudio==2.11.0"]}
# torchaudio's wav2vec 2.0 is fine-tuned with CTC on recordings sorted by length: the long ones come last.
import torch
from torchaudio.models import wav2vec2_base

torch.manual_seed(0)
model = wav2vec2_base(aux_num_out=32).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for seconds in (1, 1, 2, 2, 3, 4, 5, 30, 35):
    speech = torch.randn(8, 16_000 * seconds, device="cuda")
    scores, _ = model(speech)
    frames = torch.full((8,), scores.shape[1], device="cuda")
    words = torch.randint(1, 32, (8, 10), device="cuda")
    loss = torch.nn.functional.ctc_loss(
        scores.log_softmax(-1).transpose(0, 1), words, frames, torch.full((8,), 10, device="cuda")
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{seconds} s: loss {loss.item():.3f}", flush=True)
