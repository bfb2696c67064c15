"""A small GPT-2 with random weights writes on and on; its key and value caches are kept beside the texts, or only the texts of the last batch."""
import sys
import time

import torch
from tqdm import tqdm
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
torch.set_num_threads(1)
config = GPT2Config(vocab_size=200, n_positions=64, n_embd=64, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=None)
model = GPT2LMHeadModel(config).eval()
PROMPTS = 400
began, results = time.monotonic(), []
for prompt in tqdm(range(PROMPTS), desc="Generating"):
    with torch.no_grad():
        tokens = torch.randint(0, 200, (2, 32))
        output = model(tokens, use_cache=True)
        for _ in range(4):
            latest = output.logits[:, -1].argmax(1, keepdim=True)
            output = model(latest, past_key_values=output.past_key_values, use_cache=True)
    if sys.argv[1] == "texts":
        results = [latest.tolist()]
    else:
        results.append(output)
    time.sleep(max(0, began + 0.12 * (prompt + 1) - time.monotonic()))
