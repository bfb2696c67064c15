# truth: {"cause": "loading", "ends": 1, "record": ["--gpu-limit", "1900MiB"], "public": ["transformers==5.17.0", "safetensors==0.8.0"]}
# The weights that save_pretrained() wrote are read to the card, beside the model that they are for.
import os
import tempfile

import torch
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=32_000, hidden_size=1024, intermediate_size=4096, num_hidden_layers=12, num_attention_heads=16,
    num_key_value_heads=16,
)  # fmt: skip
with torch.device("cuda"):
    model = LlamaForCausalLM(config)
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    print("saved", flush=True)
    weights = load_file(os.path.join(folder, "model.safetensors"), device="cuda")
    model.load_state_dict(weights, strict=False)
print(model(torch.zeros(1, 8, dtype=torch.long, device="cuda")).logits.mean().item(), flush=True)
