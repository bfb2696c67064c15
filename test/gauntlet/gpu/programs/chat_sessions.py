# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "held": "sessions", "public": ["transformers==5.17.0"]}
# A chat server on GPT-2 generates with transformers' own generate(), and keeps what it returns of each chat's keys and values.
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(vocab_size=8000, n_embd=512, n_layer=8, n_head=8, bos_token_id=0, eos_token_id=0, pad_token_id=0)
model = GPT2LMHeadModel(config).half().eval().to("cuda")
sessions = {}


def answer(chat, prompts):
    done = model.generate(
        prompts, attention_mask=torch.ones_like(prompts), min_new_tokens=6, max_new_tokens=6, do_sample=False,
        return_dict_in_generate=True,
    )  # fmt: skip
    sessions[chat] = done.past_key_values
    return done.sequences[:, -6:].tolist()


for number in range(500):
    answer(f"chat-{number}", torch.randint(1, 8000, (8, 600), device="cuda"))
    if number % 10 == 0:
        print("request", number, flush=True)
