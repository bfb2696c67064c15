# truth: {"cause": "growing-cache", "ends": 1, "serving": true, "record": ["--gpu-limit", "3GiB"], "held": "lora|adapter", "public": ["peft==0.21.2", "transformers==5.17.0"]}
# A server of one model for many customers: each customer's LoRA adapter comes to the card with its first request, and stays.
import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
base = GPT2LMHeadModel(GPT2Config(vocab_size=8000, n_embd=1024, n_layer=8, n_head=16)).eval().to("cuda")
lora = LoraConfig(r=128, target_modules=["c_attn", "c_fc"], task_type="CAUSAL_LM", inference_mode=True, fan_in_fan_out=True)
model = get_peft_model(base, lora, adapter_name="customer-0")


@torch.inference_mode()
def answer(customer, tokens):
    if customer not in model.peft_config:
        model.add_adapter(customer, lora)
    model.set_adapter(customer)
    return model(tokens).logits[:, -1].argmax(-1).tolist()


for number in range(400):
    answer(f"customer-{number}", torch.randint(0, 8000, (2, 128), device="cuda"))
    if number % 10 == 0:
        print("request", number, flush=True)
