# truth: {"cause": "logits", "ends": 1, "record": ["--gpu-limit", "5GiB"], "public": ["transformers==5.17.0"]}
# Direct preference optimization of a small Llama over 96 thousand tokens; after some short pairs come answers of 1024 tokens.
# Weights of policy and reference 0.25 GB, gradients and AdamW's state 0.4 GB, layers' activations of 4096 tokens about 0.4 GB.
# Scores of four answers of 1024 over 96 thousand: 1.6 GB. The first pass keeps them as log-probabilities, the second makes
# scores and log-probabilities again: 4.7 GB, where torch has 4.8 less the 1.0 above. Pairs of 128 need an eighth of it.
import copy

import torch
from torch.nn import functional as F
from transformers import LlamaConfig, LlamaForCausalLM

VOCABULARY, PAIRS, BETA = 96_000, 4, 0.1
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=256, intermediate_size=704, num_hidden_layers=4, num_attention_heads=4,
    num_key_value_heads=4, tie_word_embeddings=True,
)  # fmt: skip
policy = LlamaForCausalLM(config).to("cuda")
reference = copy.deepcopy(policy).eval().requires_grad_(False)
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-5)


def log_prob(model, tokens):
    scores = model(input_ids=tokens, use_cache=False).logits[:, :-1]
    return scores.log_softmax(-1).gather(-1, tokens[:, 1:, None]).squeeze(-1).sum(-1)


def dpo_loss(chosen, rejected):
    ours = log_prob(policy, chosen) - log_prob(policy, rejected)
    with torch.no_grad():
        theirs = log_prob(reference, chosen) - log_prob(reference, rejected)
    return -F.logsigmoid(BETA * (ours - theirs)).mean()


for step, length in enumerate((64, 128, 96, 128, 64, 128, 96, 1024)):
    chosen, rejected = torch.randint(0, VOCABULARY, (2, PAIRS, length), device="cuda")
    loss = dpo_loss(chosen, rejected)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}, {length} tokens: loss {loss.item():.3f}", flush=True)
