# truth: {"cause": "too-large", "ends": 1, "record": ["--gpu-limit", "3GiB"], "public": ["transformers==5.17.0"]}
# A Mixtral in bf16 of which few experts work at a time; all of them have to be on the card.
import torch
from transformers import MixtralConfig, MixtralForCausalLM

torch.manual_seed(0)
torch.set_default_dtype(torch.bfloat16)
config = MixtralConfig(
    vocab_size=32_000, hidden_size=1024, intermediate_size=3584, num_hidden_layers=24, num_attention_heads=16,
    num_key_value_heads=8, num_local_experts=8,
)  # fmt: skip
with torch.device("cuda"):
    model = MixtralForCausalLM(config).eval()
print("built", flush=True)
with torch.inference_mode():
    print(model(torch.randint(0, 32_000, (1, 64), device="cuda")).logits.shape, flush=True)
