# truth: {"cause": "too-large", "ends": 1, "serving": true, "record": ["--gpu-limit", "4GiB"], "public": ["transformers==5.17.0"]}
# Speculative sampling: a small Llama drafts, and after it has been tried on some prompts the large one is built, in float32.
# The draft has 8 million parameters (33 MB), its passes take some MB. The large one's layers have 67 million each, 268 MB; 24
# of them are 6.4 GB before embeddings: the weights alone are half as much again as the card has.
import torch
from transformers import LlamaConfig, LlamaForCausalLM


def build(width, layers, heads):
    config = LlamaConfig(
        vocab_size=8000, hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=heads,
    )  # fmt: skip
    with torch.device("cuda"):
        return LlamaForCausalLM(config).eval()


@torch.inference_mode()
def propose(model, tokens, count):
    for _ in range(count):
        following = model(input_ids=tokens, use_cache=False).logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, following], 1)
    return tokens


torch.manual_seed(0)
draft = build(256, 4, 4)
prompts = [torch.randint(0, 8000, (1, 32), device="cuda") for _ in range(8)]
for number, prompt in enumerate(prompts):
    print(f"prompt {number}: drafted {propose(draft, prompt, 8).shape[1]} tokens", flush=True)

target = build(2048, 24, 16)
for number, prompt in enumerate(prompts):
    drafted = propose(draft, prompt, 8)
    with torch.inference_mode():
        agreed = target(input_ids=drafted).logits[:, 31:-1].argmax(-1) == drafted[:, 32:]
    print(f"prompt {number}: {int(agreed.long().cumprod(1).sum())} of 8 agreed", flush=True)
